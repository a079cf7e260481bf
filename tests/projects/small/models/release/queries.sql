select qid, question as query, 'Text' as subset, answer_count, from {{ ref('certified_questions') }}
