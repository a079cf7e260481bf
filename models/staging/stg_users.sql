-- One row per user of the user file. Names and friends stay outside the warehouse.
with lines as (
    select * from {{ accepted_lines('user', ['user_id'], 'user_id') }}
),

final as (
    select
        line ->> 'user_id' as user_id,
        try_cast(line ->> 'review_count' as bigint) as review_count,
        line_number,
    from lines
)

select * from final
