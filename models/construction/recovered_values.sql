-- One row per claim, record with an unknown value, and channel whose evidence shows the claim true.
with recovery_scores as (select * from {{ ref('recovery_scores') }}),

operating_points as (select * from {{ ref('operating_points') }}),

-- Evidence against in any channel leaves the value unknown.
contested as (
    select
        claim_id,
        record_id,
    from recovery_scores
    group by claim_id, record_id
    having sum(against_count) > 0
),

final as (
    select
        recovery_scores.claim_id,
        recovery_scores.record_id,
        recovery_scores.channel,
        recovery_scores.evidence_id,
        recovery_scores.score as probability,
    from recovery_scores
    inner join operating_points using (channel)
    where
        recovery_scores.purpose = 'unknown'
        and recovery_scores.score >= operating_points.threshold
        and (recovery_scores.claim_id, recovery_scores.record_id) not in (
            select (claim_id, record_id) from contested
        )
)

select * from final
