-- One row per attempt and record that is known to meet every constraint of F (A).
with attempt_sets as (select * from {{ ref('attempt_sets') }}),

record_numbers as (select * from {{ ref('record_numbers') }}),

answers as (
    {{ records_of('attempt_sets', 'attempt_id', 'met') }}
),

final as (
    select
        attempt_id,
        record_id,
    from answers
)

select * from final
