-- One row per field, or all of them, channel, or all, value that is recovered, and threshold:
-- precision and recall of the hidden values, each with the probability of a model that has not seen
-- its record. A channel's values are those whose best evidence is of it.
with recovery_hidden_values as (select * from {{ ref('recovery_hidden_values') }}),

wanted as (
    select
        fields.field,
        hidden_values.known_value as is_true,
        count(*) as wanted_count,
    from
        recovery_hidden_values as hidden_values,
        (select unnest([hidden_values.field, '*']) as field) as fields
    group by fields.field, hidden_values.known_value
),

evident as (
    select
        fields.field,
        channels.channel,
        hidden_values.is_true,
        hidden_values.confidence,
        (hidden_values.is_true = hidden_values.known_value)::integer as is_right,
    from
        recovery_hidden_values as hidden_values,
        (select unnest([hidden_values.field, '*']) as field) as fields,
        (select unnest([hidden_values.channel, 'all']) as channel) as channels
    where hidden_values.is_usable
),

curve as (
    select distinct
        field,
        channel,
        is_true,
        confidence as threshold,
        count(*) over above as predicted_count,
        sum(is_right) over above as right_count,
    from evident
    window above as (
        partition by field, channel, is_true
        order by confidence desc range between unbounded preceding and current row
    )
),

final as (
    select
        curve.field,
        curve.channel,
        curve.is_true,
        curve.threshold,
        curve.predicted_count,
        round(curve.right_count / curve.predicted_count, 4) as precision,
        round(coalesce(curve.right_count / wanted.wanted_count, 0), 4) as recall,
    from curve
    left join wanted using (field, is_true)
)

select * from final
