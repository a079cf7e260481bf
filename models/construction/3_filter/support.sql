-- One row per part of a constraint of H, candidate and piece of evidence for or against it.
with part_checks as (select * from {{ ref('part_checks') }}),

nearest_checks as (select * from {{ ref('nearest_checks') }}),

final as (
    select
        attempt_id,
        constraint_id,
        part,
        record_id,
        channel,
        evidence_id,
        verdict,
        confidence,
    from part_checks
    union all
    select
        attempt_id,
        constraint_id,
        part,
        record_id,
        'spatial' as channel,
        'distance_km=' || round(distance_km, 3) as evidence_id,
        if(is_met, 'yes', 'no') as verdict,
        if(is_met, 1.0, 0.0) as confidence,
    from nearest_checks
)

select * from final
