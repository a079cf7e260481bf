-- One row per attempt at a question slot, with the record that it starts from; null when no record
-- has a field of each kind and the sources of the subset.
with slots as (select * from {{ ref('slots') }}),

seed_records as (select * from {{ ref('seed_records') }}),

numbered as (
    select
        slot_id || '-' || numbers.attempt_number as attempt_id,
        slot_id,
        numbers.attempt_number,
        subset,
        sources,
    from slots, range(1, {{ var('attempts_per_slot') }} + 1) as numbers (attempt_number)
),

final as (
    select
        numbered.attempt_id,
        numbered.slot_id,
        numbered.attempt_number,
        numbered.subset,
        numbered.sources,
        seed_records.record_id as seed_record_id,
    from numbered
    left join seed_records
        on
            numbered.subset = seed_records.subset
            and floor({{ draw('numbered.attempt_id', 'seed record') }} * seed_records.record_count)
            = seed_records.position
)

select * from final
