select attempt_id, record_id, from {{ ref('candidates') }}
