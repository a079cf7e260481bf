-- One row per recoverable field and channel: how well the recovery brings back known values that
-- were hidden from it. precision and recall are those of the threshold in force; null where
-- nothing counts.
with recovery_scores as (select * from {{ ref('recovery_scores') }}),

recovery_pairs as (select * from {{ ref('recovery_pairs') }}),

field_claims as (select * from {{ ref('field_claims') }}),

operating_points as (select * from {{ ref('operating_points') }}),

hidden_counts as (
    select
        field_claims.field,
        count(*) as hidden_count,
        count(*) filter (where recovery_pairs.is_true) as true_count,
    from recovery_pairs
    inner join field_claims using (claim_id)
    where recovery_pairs.purpose = 'hidden'
    group by field_claims.field
),

predictions as (
    select
        operating_points.channel,
        operating_points.field,
        count(*) as predicted_count,
        count(*) filter (where recovery_scores.is_true) as correct_count,
    from recovery_scores
    inner join field_claims using (claim_id)
    inner join operating_points
        on
            recovery_scores.channel = operating_points.channel
            and field_claims.field = operating_points.field
    where
        recovery_scores.purpose = 'hidden'
        and (recovery_scores.claim_id, recovery_scores.record_id) not in (
            select (claim_id, record_id) from recovery_scores where against_count > 0
        )
        and recovery_scores.score >= operating_points.threshold
    group by operating_points.channel, operating_points.field
),

final as (
    select
        operating_points.field,
        operating_points.channel,
        operating_points.basis,
        operating_points.threshold,
        coalesce(hidden_counts.hidden_count, 0) as hidden_count,
        operating_points.scored_count,
        coalesce(predictions.predicted_count, 0) as predicted_count,
        round(predictions.correct_count / predictions.predicted_count, 4) as precision,
        round(coalesce(predictions.correct_count, 0) / nullif(hidden_counts.true_count, 0), 4)
            as recall,
    from operating_points
    left join hidden_counts on operating_points.field = hidden_counts.field
    left join predictions
        on
            operating_points.field = predictions.field
            and operating_points.channel = predictions.channel
)

select * from final
