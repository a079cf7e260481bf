-- One row per accepted line of the photo file, with or without a file of that photo.
{{ config(materialized='staged', inputs=['business', 'photos']) }}
-- depends_on: {{ ref('rejected_rows') }}
with lines as (
    select * from {{ accepted_lines('photos', 'photo_id') }}
),

final as (
    select
        photo_id,
        business_id,
        {{ mask_emails("nullif(trim(caption), '')") }} as caption,
        {{ mask_emails("nullif(trim(label), '')") }} as label,
        line_number,
    from lines
)

select * from final
