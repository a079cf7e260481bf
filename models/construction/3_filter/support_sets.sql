-- One row per constraint of H and record that supports every part of it (V_h).
-- confidence: of the weakest part, by its best evidence.
with support as (select * from {{ ref('support') }}),

source_constraints as (select * from {{ ref('source_constraints') }}),

supported_parts as (
    select
        attempt_id,
        constraint_id,
        part_id,
        record_id,
        max(confidence) as confidence,
    from support
    where verdict = 'yes'
    group by attempt_id, constraint_id, part_id, record_id
),

final as (
    select
        supported_parts.attempt_id,
        supported_parts.constraint_id,
        supported_parts.record_id,
        min(supported_parts.confidence) as confidence,
    from supported_parts
    inner join source_constraints using (constraint_id)
    group by
        supported_parts.attempt_id, supported_parts.constraint_id, supported_parts.record_id,
        source_constraints.part_count
    having count(*) = source_constraints.part_count
)

select * from final
