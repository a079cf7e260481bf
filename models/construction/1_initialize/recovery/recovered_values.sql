-- One row per claim and record with an unknown value that the evidence shows to be true or false.
with recovery_scores as (select * from {{ ref('recovery_scores') }}),

operating_points as (select * from {{ ref('operating_points') }}),

final as (
    select
        recovery_scores.claim_id,
        recovery_scores.record_id,
        recovery_scores.is_true,
        recovery_scores.confidence as probability,
        recovery_scores.channel,
        recovery_scores.evidence_id,
        recovery_scores.source_id,
    from recovery_scores
    inner join operating_points using (field, is_true)
    where
        recovery_scores.purpose = 'unknown'
        and operating_points.left_out_fold = -1
        and recovery_scores.confidence >= operating_points.threshold
        and recovery_scores.is_usable
)

select * from final
