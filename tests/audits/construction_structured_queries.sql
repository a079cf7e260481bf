-- Records that the compiled SQL of an attempt returns and initial_answers does not hold, or the
-- other way round; and seed records that are not among them.
-- depends_on: {{ ref('structured_queries') }}, and the tables in its SQL: {{ ref('records') }}
-- One statement plans 200 queries well, and thousands in quadratic time.
{%- set returned = "(select '' as attempt_id, '' as record_id where false)" %}
{%- if execute and load_relation(ref('structured_queries')) %}
{%- set returned = 'returned_by_structured_queries' %}
{%- set queries = run_query(
    "select attempt_id, sql from " ~ ref('structured_queries')
    ~ " where dialect = 'duckdb' order by attempt_id").rows %}
{%- do run_query(
    'create or replace temp table ' ~ returned ~ ' (attempt_id varchar, record_id varchar)') %}
{%- for chunk in queries | batch(200) %}
{%- set branches = [] %}
{%- for attempt_id, sql in chunk %}
{%- do branches.append(
    "select '" ~ attempt_id ~ "', record_id from (" ~ sql ~ ') as structured_query') %}
{%- endfor %}
{%- do run_query('insert into ' ~ returned ~ ' ' ~ branches | join(' union all ')) %}
{%- endfor %}
{%- endif %}
with attempts as (select * from {{ ref('attempts') }}),

field_constraints as (select * from {{ ref('field_constraints') }}),

initial_answers as (
    select
        attempt_id,
        record_id,
    from {{ ref('initial_answers') }}
),

returned as (
    select
        attempt_id,
        record_id,
    from {{ returned }}
),

final as (
    (
        select 'only initial_answers' as place, * from initial_answers
        except
        select 'only initial_answers' as place, * from returned
    )
    union all
    (
        select 'only the query' as place, * from returned
        except
        select 'only the query' as place, * from initial_answers
    )
    union all
    select
        'seed record' as place,
        attempt_id,
        seed_record_id,
    from attempts
    where
        seed_record_id is not null
        and attempt_id in (select attempt_id from field_constraints)
        and (attempt_id, seed_record_id) not in (
            select (attempt_id, record_id) from initial_answers
        )
)

select * from final
