select 'bm25' as run, qid, record_id, rank, 1.0::double / rank as score, from {{ ref('answer_sets') }}
