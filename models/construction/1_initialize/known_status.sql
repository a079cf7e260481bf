-- One row per attempt, record that no constraint of F contradicts, and constraint of F: known_true
-- or unknown, as the record's own fields say. An attempt with more than max_candidates records that
-- are known to meet F has no row: it ends there.
with attempt_sets as (select * from {{ ref('attempt_sets') }}),

record_numbers as (select * from {{ ref('record_numbers') }}),

initial_answers as (select * from {{ ref('initial_answers') }}),

field_constraints as (select * from {{ ref('field_constraints') }}),

claim_sets as (select * from {{ ref('claim_sets') }}),

too_wide as (
    select attempt_id
    from initial_answers
    group by attempt_id
    having count(*) > {{ var('max_candidates') }}
),

open_sets as (
    select * from attempt_sets
    where attempt_id not in (select attempt_id from too_wide)
),

possible_records as (
    {{ records_of('open_sets', 'attempt_id', 'possible') }}
),

final as (
    select
        possible_records.attempt_id,
        possible_records.record_id,
        field_constraints.constraint_id,
        field_constraints.claim_id,
        if(
            get_bit(claim_sets.met, possible_records.place) = 1, 'known_true', 'unknown'
        ) as status,
    from possible_records
    inner join field_constraints using (attempt_id)
    inner join claim_sets
        on
            field_constraints.claim_id = claim_sets.claim_id
            and possible_records.block = claim_sets.block
)

select * from final
