-- One row per question slot: whether one of the attempts at it was certified.
with slots as (select * from {{ ref('slots') }}),

attempt_outcomes as (select * from {{ ref('attempt_outcomes') }}),

attempt_counts as (
    select
        slot_id,
        count(*) as attempt_count,
        bool_or(is_certified) as is_certified,
    from attempt_outcomes
    group by slot_id
),

final as (
    select
        slots.slot_id,
        slots.subset,
        coalesce(attempt_counts.attempt_count, 0) as attempt_count,
        coalesce(attempt_counts.is_certified, false) as is_certified,
    from slots
    left join attempt_counts using (slot_id)
)

select * from final
