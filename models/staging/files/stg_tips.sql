-- One row per accepted line of the tip file. The file gives tips no id: tip_id is a hash of a
-- tip's business, hashed user, date and text.
{{ config(materialized='staged', inputs=['business', 'tip']) }}
-- depends_on: {{ ref('rejected_rows') }}
with lines as (
    select * from {{ accepted_lines('tip', 'business_id') }}
),

final as (
    select
        {{ tip_id() }} as tip_id,
        business_id,
        {{ hashed_user('user_id') }} as user_id,
        {{ mask_emails('"text"') }} as content,
        try_cast("date" as timestamp) as written_at,
        line_number,
    from lines
)

select * from final
