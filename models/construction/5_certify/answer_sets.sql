-- One row per certified question and answer, ranked. score: the best confidence of each channel
-- that supports a constraint, summed, minus the contradiction ratios (HeterQA, appendix 8.2).
with certified_questions as (select * from {{ ref('certified_questions') }}),

settled_candidates as (select * from {{ ref('settled_candidates') }}),

support as (select * from {{ ref('support') }}),

channel_confidences as (
    select
        attempt_id,
        record_id,
        constraint_id,
        channel,
        max(confidence)::decimal(9, 4) as confidence,
    from support
    -- Missing complaints about an avoided feature add nothing to the score.
    where verdict = 'yes' and part_kind != 'avoid'
    group by attempt_id, record_id, constraint_id, channel
),

confidence_sums as (
    select
        attempt_id,
        record_id,
        sum(confidence) as confidence_sum,
    from channel_confidences
    group by attempt_id, record_id
),

scored as (
    select
        certified_questions.qid,
        certified_questions.attempt_id,
        settled_candidates.record_id,
        round(
            confidence_sums.confidence_sum::double - settled_candidates.ratio_sum, 4
        ) as score,
    from certified_questions
    inner join settled_candidates using (attempt_id)
    inner join confidence_sums using (attempt_id, record_id)
    where settled_candidates.verdict = 'keep'
),

final as (
    select
        qid,
        attempt_id,
        record_id,
        row_number() over (partition by qid order by score desc, record_id asc) as rank,
        score,
    from scored
)

select * from final
