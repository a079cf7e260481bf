select 'q-1' as qid, record_id, row_number() over (order by record_id) as rank, from {{ ref('places') }}
