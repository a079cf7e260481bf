-- One row per attempt and candidate that may belong to V_H, but for parts that no judgement
-- supports and some judgement left unresolved, or that were not looked for everywhere, because the
-- claim or a text of the record has no vector: it supports every other part. Such an attempt is not
-- certified without knowing.
with constraint_parts as (select * from {{ ref('constraint_parts') }}),

judged_candidates as (select * from {{ ref('judged_candidates') }}),

part_checks as (select * from {{ ref('part_checks') }}),

constraint_vectors as (select * from {{ ref('constraint_vectors') }}),

unembedded_records as (select * from {{ ref('unembedded_records') }}),

part_verdicts as (
    select
        part_id,
        record_id,
        bool_or(verdict = 'yes') as is_met,
        bool_or(verdict = 'unresolved') as is_open,
    from part_checks
    group by part_id, record_id
),

-- Nearest is only decided once the others are.
needed_parts as (
    select
        judged_candidates.attempt_id,
        judged_candidates.record_id,
        coalesce(part_verdicts.is_met, false) as is_met,
        coalesce(part_verdicts.is_open, false)
        or constraint_parts.is_judged
        and (
            constraint_vectors.vector is null
            or judged_candidates.record_id in (select record_id from unembedded_records)
        ) as is_open,
    from judged_candidates
    inner join constraint_parts on judged_candidates.attempt_id = constraint_parts.attempt_id
    left join constraint_vectors
        on constraint_parts.vector_key = constraint_vectors.request_key
    left join part_verdicts
        on
            constraint_parts.part_id = part_verdicts.part_id
            and judged_candidates.record_id = part_verdicts.record_id
    where constraint_parts.part_kind != 'nearest'
),

final as (
    select
        attempt_id,
        record_id,
        count(*) filter (where not is_met) as open_parts,
    from needed_parts
    group by attempt_id, record_id
    having bool_and(is_met or is_open) and not bool_and(is_met)
)

select * from final
