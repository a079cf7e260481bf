-- One row per run, question and record that the run returns.
with fused_runs as (select * from {{ ref('fused_runs') }}),

hybrid_runs as (select * from {{ ref('hybrid_runs') }}),

final as (
    select
        run,
        qid,
        record_id,
        rank,
        score,
    from fused_runs
    union all
    select
        run,
        qid,
        record_id,
        rank,
        score,
    from hybrid_runs
)

select * from final
