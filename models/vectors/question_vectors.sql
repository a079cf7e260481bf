-- One row per attempt with the vector of its question.
with questions as (select * from {{ ref('questions') }}),

question_embeddings as (select * from {{ ref('question_embeddings') }}),

final as (
    select
        questions.attempt_id,
        question_embeddings.vector,
    from questions
    inner join question_embeddings
        on
            {{ vector_key('query', 'questions.question') }}
            = question_embeddings.request_key
)

select * from final
