-- One row per attempt and record that A, or a recovery, brings in and that no constraint
-- contradicts (C). With recovery `any` one recovered constraint is enough, as in the paper.
with constraint_status as (select * from {{ ref('constraint_status') }}),

met as (
    select
        attempt_id,
        record_id,
        count(*) filter (where status = 'recovered') as recovered_count,
        count(*) filter (where status = 'unknown') as unknown_count,
        min(probability) as probability,
    from constraint_status
    group by attempt_id, record_id
    having bool_and(status != 'known_false')
),

final as (
    select
        attempt_id,
        record_id,
        if(recovered_count = 0, 'initial', 'recovered') as origin,
        probability,
    from met
    where
        unknown_count = 0
        {%- if var('recovery') == 'any' %}
        or recovered_count > 0
        {%- endif %}
)

select * from final
