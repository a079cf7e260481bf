-- One row per accepted line of the review file, the same for both vintages of the layout. The
-- model is ephemeral: its reader reads the file, and the texts are kept once, in sources.texts.
{{ config(materialized='ephemeral') }}
-- depends_on: {{ ref('rejected_rows') }}
with lines as (
    select * from {{ accepted_lines('review', 'review_id') }}
),

final as (
    select
        review_id,
        business_id,
        {{ hashed_user('user_id') }} as user_id,
        {{ mask_emails('"text"') }} as content,
        if(
            try_cast(stars as double) between 0 and 5, try_cast(stars as double), null
        ) as stars,
        try_cast("date" as timestamp) as written_at,
        line_number,
    from lines
)

select * from final
