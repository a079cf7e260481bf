-- One row per claim and record with a known value that was hidden from the recovery: what evidence
-- made of it, against the truth. Probability and threshold come from other records.
with recovery_pairs as (select * from {{ ref('recovery_pairs') }}),

field_claims as (select * from {{ ref('field_claims') }}),

recovery_scores as (select * from {{ ref('recovery_scores') }}),

recovery_inputs as (select * from {{ ref('recovery_inputs') }}),

operating_points as (select * from {{ ref('operating_points') }}),

final as (
    select
        recovery_pairs.claim_id,
        recovery_pairs.record_id,
        field_claims.field,
        recovery_pairs.fold,
        recovery_pairs.is_true as known_value,
        recovery_inputs.net_confidence as score,
        recovery_scores.probability,
        recovery_scores.is_true,
        recovery_scores.confidence,
        recovery_scores.channel,
        recovery_scores.evidence_id,
        coalesce(recovery_scores.is_usable, false) as is_usable,
        coalesce(
            recovery_scores.is_usable and recovery_scores.confidence >= operating_points.threshold,
            false
        ) as is_recovered,
    from recovery_pairs
    inner join field_claims using (claim_id)
    left join recovery_scores using (claim_id, record_id)
    left join recovery_inputs using (claim_id, record_id)
    left join operating_points
        on
            field_claims.field = operating_points.field
            and recovery_scores.is_true = operating_points.is_true
            and recovery_pairs.fold = operating_points.left_out_fold
    where recovery_pairs.purpose = 'hidden'
)

select * from final
