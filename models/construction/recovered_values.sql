-- One row per claim, record with an unknown value, and channel whose evidence shows the claim true.
with recovery_scores as (select * from {{ ref('recovery_scores') }}),

operating_points as (select * from {{ ref('operating_points') }}),

field_claims as (select * from {{ ref('field_claims') }}),

recovery_evidence as (select * from {{ ref('recovery_evidence') }}),

recovery_judgements as (select * from {{ ref('recovery_judgements') }}),

-- Evidence against in any channel leaves the value unknown, and so does a call that failed: it
-- might have been against.
contested as (
    select
        claim_id,
        record_id,
    from recovery_scores
    where against_count > 0
    union
    select
        recovery_evidence.claim_id,
        recovery_evidence.record_id,
    from recovery_evidence
    inner join recovery_judgements using (request_key)
    where recovery_judgements.error is not null
),

final as (
    select
        recovery_scores.claim_id,
        recovery_scores.record_id,
        recovery_scores.channel,
        recovery_scores.evidence_id,
        recovery_scores.score as probability,
    from recovery_scores
    inner join field_claims using (claim_id)
    inner join operating_points
        on
            recovery_scores.channel = operating_points.channel
            and field_claims.field = operating_points.field
    where
        recovery_scores.purpose = 'unknown'
        and recovery_scores.score >= operating_points.threshold
        and (recovery_scores.claim_id, recovery_scores.record_id) not in (
            select (claim_id, record_id) from contested
        )
)

select * from final
