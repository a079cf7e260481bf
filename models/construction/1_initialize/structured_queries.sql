-- One row per attempt and dialect: F as the SQL text that an analyst can run, compiled by sqlglot.
with field_constraints as (select * from {{ ref('field_constraints') }}),

dialects as (
    select unnest(list_distinct(
        regexp_extract_all('duckdb {{ var("query_dialects") }}', '\w+')
    )) as dialect
),

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
        specs.attempt_id,
        dialects.dialect,
        compile_query(specs.spec, dialects.dialect) as sql,
    from specs
    cross join dialects
)

select * from final
