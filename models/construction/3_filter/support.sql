-- One row per part of a constraint of H, candidate and piece of evidence for or against it.
with part_checks as (select * from {{ ref('part_checks') }}),

nearest_checks as (select * from {{ ref('nearest_checks') }}),

final as (
    select
        attempt_id,
        constraint_id,
        part_id,
        part_kind,
        record_id,
        channel,
        evidence_id,
        source_id,
        feature_id,
        distance_km,
        verdict,
        confidence,
    from part_checks
    union all
    select
        attempt_id,
        constraint_id,
        part_id,
        part_kind,
        record_id,
        'spatial' as channel,
        null as evidence_id,
        null as source_id,
        null as feature_id,
        round(distance_km, 3) as distance_km,
        if(is_met, 'yes', 'no') as verdict,
        if(is_met, 1.0, 0.0) as confidence,
    from nearest_checks
)

select * from final
