-- One row per question to evaluate with its vector.
with questions as (
    select * from {{ evaluated('certified_questions', 'imported_questions') }}
),

question_embeddings as (select * from {{ ref('question_embeddings') }}),

final as (
    select
        questions.qid,
        question_embeddings.vector,
    from questions
    inner join question_embeddings on questions.vector_key = question_embeddings.request_key
)

select * from final
