-- One row per field, or all of them, channel, or all, and tenth of the probability: how often the
-- hidden values with evidence in it are true.
with recovery_hidden_values as (select * from {{ ref('recovery_hidden_values') }}),

final as (
    select
        fields.field,
        channels.channel,
        hidden_values.tenth / 10 as probability_from,
        (hidden_values.tenth + 1) / 10 as probability_to,
        count(*) as value_count,
        round(avg(hidden_values.probability::decimal(5, 4)), 4) as mean_probability,
        round(avg(hidden_values.known_value::integer), 4) as true_share,
    from
        (
            select
                *,
                least(floor(probability * 10), 9)::integer as tenth,
            from recovery_hidden_values
            where is_usable
        ) as hidden_values,
        (select unnest([hidden_values.field, '*']) as field) as fields,
        (select unnest([hidden_values.channel, 'all']) as channel) as channels
    group by fields.field, channels.channel, hidden_values.tenth
)

select * from final
