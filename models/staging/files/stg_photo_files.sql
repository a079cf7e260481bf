-- One row per photo with a file in the photo folder or a row in the photo file: which it has.
{{ config(post_hook='{{ say_photo_files() }}') }}
with photos as (select * from {{ ref('stg_photos') }}),

files as (
    select
        photo_id,
        content_hash,
    from read_json(
        getvariable('build')['photo_files'], format = 'newline_delimited',
        columns = {'photo_id': 'varchar', 'content_hash': 'varchar'}
    )
),

final as (
    select
        photo_id,
        photos.photo_id is not null as has_row,
        -- A collection without a photo folder lacks no files.
        if(getvariable('build')['photo_folder'] = '', null, files.photo_id is not null) as has_file,
        files.content_hash,
    from photos
    full outer join files using (photo_id)
)

select * from final
