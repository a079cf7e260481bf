-- One row per field, or all of them, value that is recovered, and threshold: precision and recall
-- of the hidden values, each with the probability of a model that has not seen its record.
with recovery_hidden_values as (select * from {{ ref('recovery_hidden_values') }}),

scoped as (
    select * from recovery_hidden_values
    union all
    select * replace ('*' as field) from recovery_hidden_values
),

wanted as (
    select
        field,
        known_value as is_true,
        count(*) as wanted_count,
    from scoped
    group by field, known_value
),

curve as (
    select distinct
        field,
        is_true,
        confidence as threshold,
        count(*) over above as predicted_count,
        sum((is_true = known_value)::integer) over above as right_count,
    from scoped
    where evidence_id is not null
    window above as (
        partition by field, is_true
        order by confidence desc range between unbounded preceding and current row
    )
),

final as (
    select
        curve.field,
        curve.is_true,
        curve.threshold,
        curve.predicted_count,
        round(curve.right_count / curve.predicted_count, 4) as precision,
        round(curve.right_count / wanted.wanted_count, 4) as recall,
    from curve
    inner join wanted using (field, is_true)
)

select * from final
