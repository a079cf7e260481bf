-- One row per attempt: the step that ended it and why, or that it is certifiable.
with attempts as (select * from {{ ref('attempts') }}),

candidates as (select * from {{ ref('candidates') }}),

anchors as (select * from {{ ref('anchors') }}),

source_constraints as (select * from {{ ref('source_constraints') }}),

verified_candidates as (select * from {{ ref('verified_candidates') }}),

questions as (select * from {{ ref('questions') }}),

settled_candidates as (select * from {{ ref('settled_candidates') }}),

verdict_counts as (
    select
        attempt_id,
        count(*) filter (where verdict = 'keep') as kept_count,
        count(*) filter (where verdict = 'open') as open_count,
    from settled_candidates
    group by attempt_id
),

candidate_counts as (
    select
        attempt_id,
        count(*) as candidate_count,
    from candidates
    group by attempt_id
),

verified_counts as (
    select
        attempt_id,
        count(*) as verified_count,
    from verified_candidates
    group by attempt_id
),

judged as (
    select
        attempts.attempt_id,
        attempts.slot_id,
        attempts.attempt_number,
        attempts.subset,
        questions.question,
        questions.signature,
        coalesce(candidate_counts.candidate_count, 0) as candidate_count,
        coalesce(verified_counts.verified_count, 0) as verified_count,
        coalesce(verdict_counts.kept_count, 0) as answer_count,
        case
            when candidate_counts.candidate_count > {{ var('max_candidates') }}
                then 'too many candidates'
            when anchors.attempt_id is null then 'no candidate has the sources of the subset'
            when
                attempts.attempt_id not in (select attempt_id from source_constraints)
                then 'no usable constraint in the sources of the anchor'
            when coalesce(verified_counts.verified_count, 0) = 0
                then 'no candidate supports every constraint'
            when verified_counts.verified_count > {{ var('max_verified') }}
                then 'too many verified candidates'
            when questions.attempt_id is null then 'no question was written'
            when verdict_counts.open_count > 0 then 'waits for a person'
            when answer_count = 0 then 'every verified candidate was contradicted'
            when answer_count > {{ var('max_answers') }} then 'too many answers'
        end as reason,
    from attempts
    left join anchors on attempts.attempt_id = anchors.attempt_id
    left join candidate_counts on attempts.attempt_id = candidate_counts.attempt_id
    left join verified_counts on attempts.attempt_id = verified_counts.attempt_id
    left join questions on attempts.attempt_id = questions.attempt_id
    left join verdict_counts on attempts.attempt_id = verdict_counts.attempt_id
),

-- Of two attempts that came to the same constraints only the first may be asked, of a slot's
-- certifiable attempts only the first is.
first_of_kind as (
    select
        *,
        reason is null and row_number() over (
            partition by signature, reason is null order by slot_id, attempt_number
        ) > 1 as is_repeated,
    from judged
),

final as (
    select
        attempt_id,
        slot_id,
        attempt_number,
        subset,
        question,
        candidate_count,
        verified_count,
        answer_count,
        case
            when reason is not null then reason
            when is_repeated then 'repeats the constraints of another question'
            when
                row_number() over (
                    partition by slot_id, reason is null and not is_repeated
                    order by attempt_number
                ) > 1 then 'another attempt at the slot was certified'
        end as reason,
    from first_of_kind
)

select * from final
