-- One row per record with coordinates on the globe; cell is a square of 0.1 degrees.
with records as (select * from {{ ref('records') }}),

final as (
    select
        record_id,
        latitude,
        longitude,
        st_point(longitude, latitude) as geometry,
        floor(latitude * 10)::integer || ':' || floor(longitude * 10)::integer as cell,
    from records
    where latitude between -90 and 90 and longitude between -180 and 180
)

select * from final
