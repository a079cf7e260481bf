-- One row per step and slice of a collection with planted truth: how right the build was.
-- Empty where the collection has none. true_count counts what the build was able to find.
with truth_outcomes as (select * from {{ ref('truth_outcomes') }}),

sliced as (
    select * from truth_outcomes
    union all
    select * replace ('all' as slice) from truth_outcomes
),

final as (
    select
        step,
        slice,
        round(
            count(*) filter (where is_predicted and is_true)
            / nullif(count(*) filter (where is_predicted), 0), 4
        ) as precision,
        round(
            count(*) filter (where is_predicted and is_true and is_wanted)
            / nullif(count(*) filter (where is_wanted), 0), 4
        ) as recall,
        count(*) filter (where is_predicted) as predicted_count,
        count(*) filter (where is_wanted) as true_count,
    from sliced
    group by step, slice
)

select * from final
