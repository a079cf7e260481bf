-- One row per file of the photo folder or row of the photo file: which of the two there are.
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
        -- Without a folder nobody expects files.
        if(getvariable('build')['photo_folder'] = '', null, files.photo_id is not null) as has_file,
        files.content_hash,
    from photos
    full outer join files using (photo_id)
)

select * from final
