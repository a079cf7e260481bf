-- One row per attempt and record that supports every constraint of H (V_H, the intersection).
with support_sets as (select * from {{ ref('support_sets') }}),

source_constraints as (select * from {{ ref('source_constraints') }}),

constraint_counts as (
    select
        attempt_id,
        count(*) as constraint_count,
    from source_constraints
    group by attempt_id
),

final as (
    select
        support_sets.attempt_id,
        support_sets.record_id,
        min(support_sets.confidence) as confidence,
    from support_sets
    inner join constraint_counts using (attempt_id)
    group by
        support_sets.attempt_id, support_sets.record_id, constraint_counts.constraint_count
    having count(*) = constraint_counts.constraint_count
)

select * from final
