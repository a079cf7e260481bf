-- One row per attempt: F as the SQL text that an analyst can run, compiled by sqlglot.
with field_constraints as (select * from {{ ref('field_constraints') }}),

specs as (
    select
        attempt_id,
        to_json(list(
            {'field': field, 'operator': operator, 'value': value} order by constraint_id
        ))::varchar as spec,
    from field_constraints
    group by attempt_id
),

final as (
    select
        attempt_id,
        compile_query(spec) as sql,
    from specs
)

select * from final
