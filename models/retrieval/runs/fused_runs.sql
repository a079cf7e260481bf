-- One row per run, question and record: the run's rankings of the three sources fused by rank.
with source_runs as (select * from {{ ref('source_runs') }}),

final as (
    {{ rank_fusion('source_runs') }}
)

select * from final
