select attempt_id, 'r-2' as record_id, 'filter' as step, 'no support' as reason, from {{ ref('attempts') }}
