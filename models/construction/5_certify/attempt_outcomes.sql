-- One row per attempt: whether it is certified, and else the reason for which it ended.
with attempts as (select * from {{ ref('attempts') }}),

field_constraints as (select * from {{ ref('field_constraints') }}),

candidates as (select * from {{ ref('candidates') }}),

anchors as (select * from {{ ref('anchors') }}),

source_constraints as (select * from {{ ref('source_constraints') }}),

verified_candidates as (select * from {{ ref('verified_candidates') }}),

questions as (select * from {{ ref('questions') }}),

settled_candidates as (select * from {{ ref('settled_candidates') }}),

open_support as (select * from {{ ref('open_support') }}),

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
            when attempts.seed_record_id is null
                then 'no record has the fields and sources of the subset'
            when
                attempts.attempt_id not in (select attempt_id from field_constraints)
                then 'in each draw of its constraints one repeats the others'
            when candidate_counts.candidate_count > {{ var('max_candidates') }}
                then 'too many candidates'
            when anchors.attempt_id is null then 'no candidate has the sources of the subset'
            when
                attempts.attempt_id not in (select attempt_id from source_constraints)
                then 'no usable constraint in the sources of the anchor'
            when
                attempts.attempt_id in (select attempt_id from open_support)
                then 'a judgement of its constraints is unresolved'
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

certifiable as (
    select
        attempt_id,
        slot_id,
        attempt_number,
        signature,
    from judged
    where reason is null
),

-- Each slot takes its first certifiable attempt, and of slots that come to the same constraints
-- only the first keeps it.
first_choices as (
    select *
    from certifiable
    qualify row_number() over (partition by slot_id order by attempt_number) = 1
),

first_winners as (
    select *
    from first_choices
    qualify row_number() over (partition by signature order by slot_id) = 1
),

-- A slot that lost its choice takes its first attempt at constraints that nobody has taken.
second_choices as (
    select *
    from certifiable
    where
        slot_id not in (select slot_id from first_winners)
        and signature not in (select signature from first_winners)
    qualify row_number() over (partition by slot_id order by attempt_number) = 1
),

second_winners as (
    select *
    from second_choices
    qualify row_number() over (partition by signature order by slot_id) = 1
),

winners as (
    select * from first_winners
    union all
    select * from second_winners
),

chosen as (
    select
        *,
        attempt_id in (select attempt_id from winners) as is_certified,
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
        is_certified,
        case
            when is_certified then null
            when reason is not null then reason
            when
                slot_id in (select slot_id from winners)
                then 'another attempt at the slot was certified'
            else 'repeats the constraints of another question'
        end as reason,
    from chosen
)

select * from final
