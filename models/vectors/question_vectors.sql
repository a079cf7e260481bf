-- One row per question to evaluate with its vector.
with queries as (select * from {{ ref('queries') }}),

question_embeddings as (select * from {{ ref('question_embeddings') }}),

final as (
    select
        queries.qid,
        question_embeddings.vector,
    from queries
    inner join question_embeddings
        on
            {{ vector_key('query', 'queries.query') }}
            = question_embeddings.request_key
)

select * from final
