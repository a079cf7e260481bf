select attempt_id, 'r-1' as record_id, from {{ ref('attempts') }}
