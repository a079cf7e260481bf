select qid, question as query, subset, answer_count, from {{ ref('certified_questions') }}
