-- One row per reason that ended attempts at slots which stayed empty.
with slot_outcomes as (select * from {{ ref('slot_outcomes') }}),

attempt_outcomes as (select * from {{ ref('attempt_outcomes') }}),

final as (
    select
        attempt_outcomes.reason,
        count(*) as attempt_count,
        count(distinct attempt_outcomes.slot_id) as slot_count,
    from attempt_outcomes
    inner join slot_outcomes using (slot_id)
    where not slot_outcomes.is_certified
    group by attempt_outcomes.reason
)

select * from final
