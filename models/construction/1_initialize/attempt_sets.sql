-- One row per attempt and block of records in which a record may meet F: those that are known to
-- meet it, and those that none of its constraints contradicts, as bits by record_numbers.place.
with field_constraints as (select * from {{ ref('field_constraints') }}),

claim_sets as (select * from {{ ref('claim_sets') }}),

constraint_counts as (
    select
        attempt_id,
        count(*) as constraint_count,
    from field_constraints
    group by attempt_id
),

sets as (
    select
        field_constraints.attempt_id,
        claim_sets.block,
        bit_and(claim_sets.met) as met,
        bit_and(claim_sets.possible) as possible,
        count(*) as set_count,
    from field_constraints
    inner join claim_sets using (claim_id)
    group by field_constraints.attempt_id, claim_sets.block
),

final as (
    select
        sets.attempt_id,
        sets.block,
        sets.met,
        sets.possible,
    from sets
    inner join constraint_counts using (attempt_id)
    where
        -- A category has no set in a block without a member.
        sets.set_count = constraint_counts.constraint_count
        and sets.possible != {{ no_records() }}
)

select * from final
