select attempt_id, from {{ ref('attempts') }}
