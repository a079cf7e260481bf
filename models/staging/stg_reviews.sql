-- One row per review of the review file, as the file has it.
with lines as (
    select * from {{ accepted_lines('review', ['review_id', 'business_id', 'text'], 'review_id') }}
),

final as (
    select
        line ->> 'review_id' as review_id,
        line ->> 'business_id' as business_id,
        line ->> 'user_id' as user_id,
        line ->> 'text' as content,
        try_cast(line ->> 'stars' as double) as stars,
        try_cast(line ->> 'date' as timestamp) as written_at,
        line_number,
    from lines
)

select * from final
