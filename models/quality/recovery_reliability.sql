-- One row per field, or all of them, and tenth of the probability: how often the hidden values with
-- evidence in it are true.
with recovery_hidden_values as (select * from {{ ref('recovery_hidden_values') }}),

evident as (
    select
        field,
        known_value,
        probability,
        least(floor(probability * 10), 9)::integer as tenth,
    from recovery_hidden_values
    where evidence_id is not null
),

scoped as (
    select * from evident
    union all
    select * replace ('*' as field) from evident
),

final as (
    select
        field,
        tenth / 10 as probability_from,
        (tenth + 1) / 10 as probability_to,
        count(*) as value_count,
        round(avg(probability::decimal(5, 4)), 4) as mean_probability,
        round(avg(known_value::integer), 4) as true_share,
    from scoped
    group by field, tenth
)

select * from final
