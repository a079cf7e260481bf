select attempt_id, 'Which <b>place</b> near /etc/x or a.jpg takes reservations?' as question, from {{ ref('attempts') }}
