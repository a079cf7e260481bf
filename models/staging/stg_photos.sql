-- One row per photo of the photo file, as the file has it.
with lines as (
    select * from {{ accepted_lines('photos', ['photo_id', 'business_id'], 'photo_id') }}
),

final as (
    select
        line ->> 'photo_id' as photo_id,
        line ->> 'business_id' as business_id,
        nullif(trim(line ->> 'caption'), '') as caption,
        nullif(trim(line ->> 'label'), '') as label,
        line_number,
    from lines
)

select * from final
