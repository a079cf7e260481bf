-- One row per photo of a known record; photo_path is relative to the collection's photo folder.
with records as (select * from {{ ref('records') }}),

photos as (select * rename (business_id as record_id) from {{ ref('stg_photos') }}),

final as (
    select
        photo_id,
        record_id,
        caption,
        label,
        photo_id || '.jpg' as photo_path,
    from photos
    where record_id in (select record_id from records)
)

select * from final
