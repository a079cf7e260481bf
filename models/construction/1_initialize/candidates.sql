-- One row per attempt and record of C: the records of A, and those that the recovery brings in and
-- no constraint contradicts. The macro is_candidate says which records each mode of `recovery` lets
-- in.
with initial_answers as (select * from {{ ref('initial_answers') }}),

constraint_status as (select * from {{ ref('constraint_status') }}),

counts as (
    select
        attempt_id,
        record_id,
        count(*) filter (where status = 'recovered_false') as false_count,
        count(*) filter (where status = 'unknown') as unknown_count,
        count(*) filter (where status = 'recovered') as recovered_count,
        min(probability) as probability,
    from constraint_status
    group by attempt_id, record_id
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
    from counts
    where recovered_count > 0 and {{ is_candidate(var('recovery'), 'counts') }}
)

select * from final
