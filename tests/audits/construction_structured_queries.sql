-- Records that the compiled SQL of an attempt returns and initial_answers does not hold, or the
-- other way round; and seed records that are not among them.
-- depends_on: {{ ref('structured_queries') }}, and the tables in its SQL: {{ ref('records') }}
{%- set queries = [] %}
{%- if execute and load_relation(ref('structured_queries')) %}
{%- set queries = run_query(
    'select attempt_id, sql from ' ~ ref('structured_queries') ~ ' order by attempt_id').rows %}
{%- endif %}
with attempts as (select * from {{ ref('attempts') }}),

initial_answers as (
    select
        attempt_id,
        record_id,
    from {{ ref('initial_answers') }}
),

returned as (
    select
        null::varchar as attempt_id,
        null::varchar as record_id,
    where false
    {%- for attempt_id, sql in queries %}
    union all
    select
        '{{ attempt_id }}' as attempt_id,
        record_id,
    from ({{ sql }}) as structured_query
    {%- endfor %}
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
    where (attempt_id, seed_record_id) not in (select (attempt_id, record_id) from initial_answers)
)

select * from final
