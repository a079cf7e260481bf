-- One row per passage of a corpus entry with the vector of its content. Short entries are one
-- passage.
with corpus_passages as (select * from {{ ref('corpus_passages') }}),

content_vectors as (select * from {{ ref('content_vectors') }}),

final as (
    select
        corpus_passages.entry_id,
        corpus_passages.passage_number,
        corpus_passages.record_id,
        corpus_passages.source,
        content_vectors.vector,
    from corpus_passages
    inner join content_vectors on corpus_passages.vector_key = content_vectors.request_key
)

select * from final
