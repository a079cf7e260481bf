-- One row per claim and record with evidence: the signals of its channels side by side, as the
-- model of recovery_probabilities reads them. A signal above 0 speaks for the claim.
-- Confidences enter as log odds, less the log odds of confidence 0: from .9 to .99 is as far as
-- from .5 to .9.
{%- set channels = ['text', 'photo', 'graph'] %}
with recovery_pairs as (select * from {{ ref('recovery_pairs') }}),

field_claims as (select * from {{ ref('field_claims') }}),

recovery_signals as (select * from {{ ref('recovery_signals') }}),

weighted as (
    select
        *,
        {{ evidence_weight('for_confidence') }} as for_weight,
        {{ evidence_weight('against_confidence') }} as against_weight,
    from recovery_signals
),

side_by_side as (
    select
        claim_id,
        record_id,
        {%- for channel in channels %}
        {%- set of = "filter (where channel = '" ~ channel ~ "')" %}
        round(coalesce(max(for_weight - against_weight) {{ of }}, 0), 4)
            as signal_{{ channel }}_confidence,
        round(coalesce(max(for_sum - against_sum) {{ of }}, 0), 4) as signal_{{ channel }}_sum,
        coalesce(max(for_count - against_count) {{ of }}, 0) as signal_{{ channel }}_count,
        round(coalesce(max(for_similarity - against_similarity) {{ of }}, 0), 4)
            as signal_{{ channel }}_similarity,
        round(coalesce(max(for_relevance - against_relevance) {{ of }}, 0), 4)
            as signal_{{ channel }}_relevance,
        coalesce(-max(differs_in_negation::integer) {{ of }}, 0)
            as signal_{{ channel }}_negation,
        {%- endfor %}
        max(for_weight) as for_weight,
        max(against_weight) as against_weight,
        max(for_confidence) as for_confidence,
        max(against_confidence) as against_confidence,
    from weighted
    group by claim_id, record_id
),

final as (
    select
        side_by_side.* exclude (
            for_weight, against_weight, for_confidence, against_confidence
        ),
        field_claims.field,
        recovery_pairs.fold,
        coalesce(recovery_pairs.is_true::integer, -1) as known_value,
        round(side_by_side.for_confidence - side_by_side.against_confidence, 4)
            as net_confidence,
        round(side_by_side.for_weight - side_by_side.against_weight, 4) as net_weight,
    from side_by_side
    inner join recovery_pairs using (claim_id, record_id)
    inner join field_claims using (claim_id)
)

select * from final
