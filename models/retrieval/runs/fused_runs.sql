-- One row per run, question and record: the run's rankings of the three sources fused by rank.
with source_runs as (select * from {{ ref('source_runs') }}),

fused as (
    select * from {{ rank_fusion('source_runs') }}
),

final as (
    select
        run,
        qid,
        record_id,
        rank,
        score,
    from fused
)

select * from final
