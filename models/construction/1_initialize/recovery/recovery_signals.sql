-- One row per claim, record and channel with evidence: the signals for the claim and against it.
-- Evidence that was found as evidence for one side, and was judged to say the opposite, counts for
-- the other side. An undecided judgement counts for nothing. Failed calls are counted, because the
-- judge might have said anything. Evidence against a rival is no evidence for the claim.
with recovery_evidence as (select * from {{ ref('recovery_evidence') }}),

recovery_judgements as (select * from {{ ref('recovery_judgements') }}),

recovery_comparisons as (select * from {{ ref('recovery_comparisons') }}),

recovery_relevance as (select * from {{ ref('recovery_relevance') }}),

negations as (
    select list(word) as words
    from {{ ref('negations') }}
    where reads in ('signals', 'both')
),

judged as (
    select
        recovery_evidence.claim_id,
        recovery_evidence.record_id,
        recovery_evidence.channel,
        recovery_evidence.direction,
        recovery_evidence.is_of_rival,
        recovery_evidence.similarity,
        recovery_judgements.error,
        recovery_judgements.is_against,
        case
            when recovery_judgements.error is null and recovery_judgements.verdict != 'unresolved'
                then if(recovery_judgements.is_against, 0, recovery_judgements.confidence)
        end as confidence,
    from recovery_evidence
    inner join recovery_judgements using (request_key)
),

judgement_signals as (
    select
        claim_id,
        record_id,
        channel,
        coalesce(max(confidence) filter (where direction = 'for'), 0) as for_confidence,
        coalesce(max(confidence) filter (where direction = 'against'), 0) as against_confidence,
        coalesce(sum(confidence::decimal(5, 4)) filter (where direction = 'for'), 0)::double
            as for_sum,
        coalesce(sum(confidence::decimal(5, 4)) filter (where direction = 'against'), 0)::double
            as against_sum,
        count(*) filter (where direction = 'against' and is_against and not is_of_rival)
            as for_count,
        count(*) filter (where direction = 'for' and is_against) as against_count,
        max(similarity) filter (where direction = 'for') as for_similarity,
        max(similarity) filter (where direction = 'against' and not is_of_rival)
            as against_similarity,
        count(*) filter (where error is not null) as failed_count,
    from judged
    group by claim_id, record_id, channel
),

compared as (
    select
        recovery_comparisons.claim_id,
        recovery_comparisons.record_id,
        recovery_comparisons.channel,
        recovery_comparisons.direction,
        {{ has_negation('recovery_comparisons.sentence', 'negations.words') }}
        != {{ has_negation('recovery_comparisons.statement', 'negations.words') }}
            as differs_in_negation,
        recovery_relevance.score,
        recovery_relevance.error,
    from recovery_comparisons
    inner join recovery_relevance using (request_key)
    cross join negations
),

relevance_signals as (
    select
        claim_id,
        record_id,
        channel,
        max(score) filter (where direction = 'for') as for_relevance,
        max(score) filter (where direction = 'against') as against_relevance,
        bool_or(differs_in_negation) filter (where direction = 'for') as differs_in_negation,
        count(*) filter (where error is not null) as failed_count,
    from compared
    group by claim_id, record_id, channel
),

final as (
    select
        judgement_signals.claim_id,
        judgement_signals.record_id,
        judgement_signals.channel,
        judgement_signals.for_confidence,
        judgement_signals.against_confidence,
        judgement_signals.for_sum,
        judgement_signals.against_sum,
        judgement_signals.for_count,
        judgement_signals.against_count,
        judgement_signals.for_similarity,
        judgement_signals.against_similarity,
        relevance_signals.for_relevance,
        relevance_signals.against_relevance,
        relevance_signals.differs_in_negation,
        judgement_signals.failed_count + coalesce(relevance_signals.failed_count, 0)
            as failed_count,
    from judgement_signals
    left join relevance_signals using (claim_id, record_id, channel)
)

select * from final
