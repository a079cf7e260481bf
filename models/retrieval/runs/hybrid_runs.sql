-- One row per hybrid run, question and record: BM25 and a dense run fused by rank, never by score.
with fused_runs as (select * from {{ ref('fused_runs') }}),

branches as (
    select
        'hybrid' as run,
        qid,
        record_id,
        rank,
    from fused_runs
    where run in ('bm25', 'dense')
),

final as (
    {{ rank_fusion('branches') }}
)

select * from final
