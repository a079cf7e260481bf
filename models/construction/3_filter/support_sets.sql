-- One row per constraint of H and record that supports every part of it (V_h).
-- confidence: of the weakest part, by its best evidence.
with support as (select * from {{ ref('support') }}),

constraint_parts as (select * from {{ ref('constraint_parts') }}),

part_counts as (
    select
        constraint_id,
        count(*) as part_count,
    from constraint_parts
    group by constraint_id
),

supported_parts as (
    select
        attempt_id,
        constraint_id,
        part,
        record_id,
        max(confidence) as confidence,
    from support
    where verdict = 'yes'
    group by attempt_id, constraint_id, part, record_id
),

final as (
    select
        supported_parts.attempt_id,
        supported_parts.constraint_id,
        supported_parts.record_id,
        min(supported_parts.confidence) as confidence,
    from supported_parts
    inner join part_counts using (constraint_id)
    group by
        supported_parts.attempt_id, supported_parts.constraint_id, supported_parts.record_id,
        part_counts.part_count
    having count(*) = part_counts.part_count
)

select * from final
