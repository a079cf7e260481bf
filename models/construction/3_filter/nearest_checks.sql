-- One row per attempt with a nearest constraint, and record that meets everything else: whether
-- it is the closest of them to the reference point.
with constraint_parts as (select * from {{ ref('constraint_parts') }}),

judged_candidates as (select * from {{ ref('judged_candidates') }}),

part_checks as (select * from {{ ref('part_checks') }}),

spatial_checks as (select * from {{ ref('spatial_checks') }}),

met_parts as (
    select distinct
        part_id,
        record_id,
    from part_checks
    where verdict = 'yes'
),

others as (
    select
        attempt_id,
        part_id,
    from constraint_parts
    where part_kind != 'nearest'
),

meets_others as (
    select
        judged_candidates.attempt_id,
        judged_candidates.record_id,
    from judged_candidates
    left join others on judged_candidates.attempt_id = others.attempt_id
    left join met_parts
        on
            others.part_id = met_parts.part_id
            and judged_candidates.record_id = met_parts.record_id
    group by judged_candidates.attempt_id, judged_candidates.record_id
    having count(others.part_id) = count(met_parts.part_id)
),

final as (
    select
        spatial_checks.attempt_id,
        spatial_checks.constraint_id,
        spatial_checks.part_id,
        spatial_checks.part_kind,
        spatial_checks.record_id,
        spatial_checks.distance_km,
        -- Of two at the same distance neither is the nearest one: such a question has no answer.
        spatial_checks.distance_km = min(spatial_checks.distance_km) over same_attempt
        and count(*) over same_distance = 1 as is_met,
    from spatial_checks
    inner join meets_others
        on
            spatial_checks.attempt_id = meets_others.attempt_id
            and spatial_checks.record_id = meets_others.record_id
    where spatial_checks.part_kind = 'nearest' and spatial_checks.distance_km is not null
    window
        same_attempt as (partition by spatial_checks.attempt_id),
        same_distance as (partition by spatial_checks.attempt_id, spatial_checks.distance_km)
)

select * from final
