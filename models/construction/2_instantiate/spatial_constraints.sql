-- One row per attempt with a spatial constraint: its operator (radius, direction, nearest),
-- reference point and parameters, and the phrase that says it.
with spatial_references as (select * from {{ ref('spatial_references') }}),

spatial_sectors as (select * from {{ ref('spatial_sectors') }}),

operators as (
    select
        *,
        case
            when {{ draw('attempt_id', 'spatial operator') }} < 1 / 3.0 then 'radius'
            when {{ draw('attempt_id', 'spatial operator') }} < 2 / 3.0
                then if(distance_km > 0, 'direction', 'radius')
            else 'nearest'
        end as operator,
        ceil(greatest(distance_km, 0.5)) as least_radius_km,
        coalesce(
            reference_name,
            'my location at ' || printf('%.4f', latitude) || ', ' || printf('%.4f', longitude)
        ) as reference,
    from spatial_references
),

parameters as (
    select
        operators.*,
        spatial_sectors.sector,
        spatial_sectors.name as sector_name,
        least_radius_km + floor(
            {{ draw('operators.attempt_id', 'radius') }}
            * (greatest(least_radius_km, {{ var('radius_max_km') }}) - least_radius_km + 1)
        ) as radius_km,
    from operators
    inner join spatial_sectors
        on least(
            abs(operators.bearing - spatial_sectors.center_deg),
            360 - abs(operators.bearing - spatial_sectors.center_deg)
        ) <= {{ var('sector_half_width_deg') }}
    -- A bearing on the line between two sectors belongs to the first.
    qualify row_number() over (
        partition by operators.attempt_id order by spatial_sectors.center_deg
    ) = 1
),

final as (
    select
        attempt_id,
        operator,
        reference_record_id,
        latitude,
        longitude,
        if(operator = 'nearest', null, radius_km::integer) as radius_km,
        if(operator = 'direction', sector, null) as sector,
        case operator
            when 'radius' then 'is within ' || radius_km::integer || ' km of ' || reference
            when 'direction'
                then
                    'is ' || sector_name || ' of ' || reference || ' and within '
                    || radius_km::integer || ' km of it'
            else 'is the nearest one to ' || reference
        end as phrase,
    from parameters
)

select * from final
