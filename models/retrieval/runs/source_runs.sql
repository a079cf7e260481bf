-- One row per run, source, question and record that the run found in that source.
with bm25_hits as (select * from {{ ref('bm25_hits') }}),

dense_hits as (select * from {{ ref('dense_hits') }}),

final as (
    select
        'bm25' as run,
        source,
        qid,
        record_id,
        rank,
        score,
        entry_id,
    from bm25_hits
    union all
    select
        'dense' as run,
        source,
        qid,
        record_id,
        rank,
        score,
        entry_id,
    from dense_hits
)

select * from final
