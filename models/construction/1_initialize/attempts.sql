-- One row per attempt at a question slot, with the record that it starts from; null when no record
-- has a field of each kind and the sources of the subset.
with slots as (select * from {{ ref('slots') }}),

seed_records as (select * from {{ ref('seed_records') }}),

subset_sizes as (
    select
        subset,
        any_value(record_count) as record_count,
    from seed_records
    group by subset
),

numbered as (
    select
        slot_id || '-' || numbers.attempt_number as attempt_id,
        slot_id,
        numbers.attempt_number,
        subset,
        sources,
    from slots, range(1, {{ var('attempts_per_slot') }} + 1) as numbers (attempt_number)
),

seeded as (
    select
        numbered.*,
        floor({{ draw('numbered.attempt_id', 'seed record') }} * subset_sizes.record_count)::bigint
            as position,
    from numbered
    left join subset_sizes using (subset)
),

final as (
    select
        seeded.attempt_id,
        seeded.slot_id,
        seeded.attempt_number,
        seeded.subset,
        seeded.sources,
        seed_records.record_id as seed_record_id,
    from seeded
    left join seed_records
        on seeded.subset = seed_records.subset and seeded.position = seed_records.position
)

select * from final
