-- One row per step and reason of removal: how many attempts it touched, and how often.
with drop_events as (select * from {{ ref('drop_events') }}),

final as (
    select
        step,
        reason,
        count(distinct attempt_id) as attempt_count,
        count(*) as removal_count,
    from drop_events
    group by step, reason
)

select * from final
