-- Certified questions with a wrong count of answers, two of one slot, or something left unresolved.
with certified_questions as (select * from {{ ref('certified_questions') }}),

attempts as (select * from {{ ref('attempts') }}),

answer_sets as (select * from {{ ref('answer_sets') }}),

review_queue as (select * from {{ ref('review_queue') }}),

contradictions as (select * from {{ ref('contradictions') }}),

settled_candidates as (select * from {{ ref('settled_candidates') }}),

open_support as (select * from {{ ref('open_support') }}),

answer_counts as (
    select
        qid,
        count(*) as answer_count,
        count(distinct rank) as rank_count,
        max(rank) as last_rank,
    from answer_sets
    group by qid
),

miscounted as (
    select
        certified_questions.qid,
        'has ' || coalesce(answer_counts.answer_count, 0) || ' answers' as reason,
    from certified_questions
    left join answer_counts using (qid)
    where
        answer_counts.answer_count is null
        or answer_counts.answer_count > {{ var('max_answers') }}
        or answer_counts.answer_count != certified_questions.answer_count
        or answer_counts.answer_count != answer_counts.rank_count
        or answer_counts.answer_count != answer_counts.last_rank
),

second_of_a_slot as (
    select
        certified_questions.qid,
        'is not the only one of its slot' as reason,
    from certified_questions
    inner join attempts using (attempt_id)
    qualify count(*) over (partition by attempts.slot_id) > 1
),

waiting as (
    select
        certified_questions.qid,
        'waits for a person' as reason,
    from certified_questions
    inner join review_queue using (attempt_id)
),

-- A record that may belong to the answer, but for judgements that are unresolved.
undecided as (
    select
        certified_questions.qid,
        'does not know about ' || open_support.record_id as reason,
    from certified_questions
    inner join open_support using (attempt_id)
),

-- What could be over the threshold was kept by a debate or a person, never by default.
unsettled as (
    select
        certified_questions.qid,
        'keeps ' || contradictions.record_id || ' against ' || contradictions.channel as reason,
    from certified_questions
    inner join contradictions using (attempt_id)
    inner join answer_sets using (qid, record_id)
    inner join settled_candidates
        on
            contradictions.attempt_id = settled_candidates.attempt_id
            and contradictions.record_id = settled_candidates.record_id
    where
        (contradictions.contradictory + contradictions.unresolved) / contradictions.retrieved
        > {{ var('contradiction_ratio') }}
        and settled_candidates.basis not in ('debate', 'person')
),

final as (
    select * from miscounted
    union all
    select * from second_of_a_slot
    union all
    select * from waiting
    union all
    select * from undecided
    union all
    select * from unsettled
)

select * from final
