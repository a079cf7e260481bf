-- One row per business of the checkin file; no rows when a collection has none.
with lines as (
    select * from {{ accepted_lines('checkin', ['business_id'], 'business_id') }}
),

final as (
    select
        line ->> 'business_id' as business_id,
        len(string_split(coalesce(line ->> 'date', ''), ',')) as checkin_count,
        line_number,
    from lines
)

select * from final
