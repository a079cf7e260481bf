-- One row per claim, record and channel: the best evidence for the claim, and whether any is
-- against. A judgement that failed or could not decide counts for nothing here.
with recovery_pairs as (select * from {{ ref('recovery_pairs') }}),

recovery_evidence as (select * from {{ ref('recovery_evidence') }}),

recovery_judgements as (select * from {{ ref('recovery_judgements') }}),

judged as (
    select
        recovery_pairs.claim_id,
        recovery_pairs.record_id,
        recovery_pairs.purpose,
        recovery_pairs.is_true,
        recovery_evidence.channel,
        recovery_evidence.evidence_id,
        recovery_judgements.confidence,
        coalesce(recovery_judgements.is_against, false) as is_against,
        recovery_judgements.verdict,
    from recovery_pairs
    inner join recovery_evidence using (claim_id, record_id)
    inner join recovery_judgements using (request_key)
    where recovery_judgements.error is null
),

final as (
    select
        claim_id,
        record_id,
        purpose,
        is_true,
        channel,
        coalesce(max(confidence) filter (where verdict != 'unresolved' and not is_against), 0)
            as score,
        first(evidence_id order by confidence desc, evidence_id asc)
            filter (where verdict != 'unresolved' and not is_against) as evidence_id,
        count(*) filter (where is_against) as against_count,
        count(*) as evidence_count,
    from judged
    group by claim_id, record_id, purpose, is_true, channel
)

select * from final
