select attempt_id, 'Which <b>place</b> takes reservations?' as question, from {{ ref('attempts') }}
