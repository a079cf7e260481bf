select qid, record_id, 1 as score, from {{ ref('answer_sets') }}
