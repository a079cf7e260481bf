-- One row per attempt and record of A, or that a recovery brings in and no constraint contradicts
-- (C). With recovery `any` one recovered constraint is enough, as in the paper.
with initial_answers as (select * from {{ ref('initial_answers') }}),

constraint_status as (select * from {{ ref('constraint_status') }}),

recovered as (
    select
        attempt_id,
        record_id,
        min(probability) as probability,
    from constraint_status
    group by attempt_id, record_id
    having
        bool_or(status = 'recovered')
        and bool_and(status != 'known_false')
        {%- if var('recovery') != 'any' %}
        and bool_and(status != 'unknown')
        {%- endif %}
),

final as (
    select
        attempt_id,
        record_id,
        'initial' as origin,
        1.0 as probability,
    from initial_answers
    union all
    select
        attempt_id,
        record_id,
        'recovered' as origin,
        probability,
    from recovered
)

select * from final
