-- One row per accepted line of the checkin file; no rows when a collection has none.
{{ config(materialized='staged', inputs=['business', 'checkin']) }}
-- depends_on: {{ ref('rejected_rows') }}
with lines as (
    select * from {{ accepted_lines('checkin', 'business_id') }}
),

final as (
    select
        business_id,
        -- The vintage of 2015 counts by hour of the week, the current one lists the times.
        coalesce(
            list_sum(list_transform(
                checkin_info ->> '$.*', lambda hourly: try_cast(hourly as bigint)
            ))::bigint,
            len(list_filter(string_split("date", ','), lambda time: trim(time) != '')),
            0
        ) as checkin_count,
        line_number,
    from lines
)

select * from final
