-- One row per record with coordinates on the globe.
with records as (select * from {{ ref('records') }}),

final as (
    select
        record_id,
        latitude,
        longitude,
        st_point(longitude, latitude) as geometry,
    from records
    where latitude between -90 and 90 and longitude between -180 and 180
)

select * from final
