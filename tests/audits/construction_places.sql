-- Spatial constraints that do not hold: an answer outside its radius or sector by DuckDB's own
-- spherical distance, a second answer to "the nearest one", a reference that could be an answer.
with spatial_constraints as (select * from {{ ref('spatial_constraints') }}),

spatial_sectors as (select * from {{ ref('spatial_sectors') }}),

answer_sets as (select * from {{ ref('answer_sets') }}),

candidates as (select * from {{ ref('candidates') }}),

anchors as (select * from {{ ref('anchors') }}),

record_points as (select * from {{ ref('record_points') }}),

-- Anchors that were given a place lie there as well.
placed as (
    select
        attempt_id,
        record_id,
    from answer_sets
    union
    select
        attempt_id,
        record_id,
    from anchors
),

measured as (
    select
        spatial_constraints.attempt_id,
        spatial_constraints.radius_km,
        spatial_constraints.sector,
        spatial_sectors.center_deg,
        placed.record_id,
        -- Its sphere has a radius of 6371.0 km.
        st_distance_sphere(
            st_point(spatial_constraints.longitude, spatial_constraints.latitude),
            record_points.geometry
        ) / 1000 * 6371.0088 / 6371.0 as distance_km,
        degrees(atan2(
            sin(radians(record_points.longitude - spatial_constraints.longitude))
            * cos(radians(record_points.latitude)),
            cos(radians(spatial_constraints.latitude)) * sin(radians(record_points.latitude))
            - sin(radians(spatial_constraints.latitude)) * cos(radians(record_points.latitude))
            * cos(radians(record_points.longitude - spatial_constraints.longitude))
        )) as bearing_deg,
    from spatial_constraints
    inner join placed on spatial_constraints.attempt_id = placed.attempt_id
    left join record_points on placed.record_id = record_points.record_id
    left join spatial_sectors on spatial_constraints.sector = spatial_sectors.sector
),

outside as (
    select
        attempt_id,
        record_id,
        'lies outside' as reason,
    from measured
    where
        distance_km is null
        or distance_km > radius_km + 0.00001
        or (
            sector is not null
            and (
                distance_km = 0
                or cos(radians(bearing_deg - center_deg))
                < cos(radians({{ var('sector_half_width_deg') }})) - 0.0000001
            )
        )
),

second_nearest as (
    select
        attempt_id,
        record_id,
        'is the nearest beside another' as reason,
    from answer_sets
    inner join spatial_constraints using (attempt_id)
    where spatial_constraints.operator = 'nearest'
    qualify count(*) over (partition by attempt_id) > 1
),

references_of_candidates as (
    select
        spatial_constraints.attempt_id,
        candidates.record_id,
        'is a candidate and the reference' as reason,
    from spatial_constraints
    inner join candidates
        on
            spatial_constraints.attempt_id = candidates.attempt_id
            and spatial_constraints.reference_record_id = candidates.record_id
),

final as (
    select * from outside
    union all
    select * from second_nearest
    union all
    select * from references_of_candidates
)

select * from final
