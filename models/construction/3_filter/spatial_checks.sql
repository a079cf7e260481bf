-- One row per attempt with a spatial constraint, and candidate: whether it lies there. Nearest asks
-- for a point only, and is settled among the records that meet everything else.
with spatial_constraints as (select * from {{ ref('spatial_constraints') }}),

spatial_sectors as (select * from {{ ref('spatial_sectors') }}),

constraint_parts as (select * from {{ ref('constraint_parts') }}),

candidates as (select * from {{ ref('candidates') }}),

record_points as (select * from {{ ref('record_points') }}),

measured as (
    select
        constraint_parts.attempt_id,
        constraint_parts.constraint_id,
        constraint_parts.part_id,
        constraint_parts.part_kind,
        candidates.record_id,
        spatial_constraints.radius_km,
        spatial_constraints.sector,
        round({{ haversine_km(
            'spatial_constraints.latitude', 'spatial_constraints.longitude',
            'record_points.latitude', 'record_points.longitude'
        ) }}, 6) as distance_km,
        round({{ bearing_deg(
            'spatial_constraints.latitude', 'spatial_constraints.longitude',
            'record_points.latitude', 'record_points.longitude'
        ) }}, 6) as bearing,
    from constraint_parts
    inner join spatial_constraints on constraint_parts.attempt_id = spatial_constraints.attempt_id
    inner join candidates on constraint_parts.attempt_id = candidates.attempt_id
    left join record_points on candidates.record_id = record_points.record_id
    where constraint_parts.source = 'spatial'
),

final as (
    select
        measured.attempt_id,
        measured.constraint_id,
        measured.part_id,
        measured.part_kind,
        measured.record_id,
        measured.distance_km,
        measured.bearing,
        -- Without a point nothing is known to lie anywhere.
        coalesce(
            measured.distance_km is not null
            and (measured.radius_km is null or measured.distance_km <= measured.radius_km)
            and (
                measured.sector is null
                -- What lies at the point itself lies in no direction from it.
                or (
                    measured.distance_km > 0
                    and least(
                        abs(measured.bearing - spatial_sectors.center_deg),
                        360 - abs(measured.bearing - spatial_sectors.center_deg)
                    ) <= {{ var('sector_half_width_deg') }}
                )
            ),
            false
        ) as is_met,
    from measured
    left join spatial_sectors on measured.sector = spatial_sectors.sector
)

select * from final
