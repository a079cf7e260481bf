-- One row per corpus entry with the vector of its content.
with corpus_entries as (select * from {{ ref('corpus_entries') }}),

content_vectors as (select * from {{ ref('content_vectors') }}),

final as (
    select
        corpus_entries.entry_id,
        corpus_entries.record_id,
        corpus_entries.source,
        content_vectors.vector,
    from corpus_entries
    inner join content_vectors
        on {{ request_key('text_embedder', ['corpus_entries.content']) }}
        = content_vectors.content_key
)

select * from final
