-- One row per accepted line of the checkin file; no rows when a collection has none.
{{ config(materialized='staged', inputs=['business', 'checkin']) }}
-- depends_on: {{ ref('rejected_rows') }}
with lines as (
    select * from {{ accepted_lines('checkin', 'business_id') }}
),

final as (
    select
        business_id,
        line_number,
    from lines
)

select * from final
