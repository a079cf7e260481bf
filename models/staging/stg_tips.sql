-- One row per distinct tip of the tip file. Tips have no key of their own: it is made of all they
-- hold.
with lines as (
    select * from {{ accepted_lines('tip', ['business_id', 'text']) }}
),

tips as (
    select
        line ->> 'business_id' as business_id,
        line ->> 'user_id' as user_id,
        line ->> 'text' as content,
        line ->> 'date' as written_at,
        line_number,
    from lines
),

keyed as (
    select
        left(md5(to_json([business_id, user_id, written_at, content])), 22) as tip_id,
        *,
    from tips
),

final as (
    select
        tip_id,
        business_id,
        user_id,
        content,
        try_cast(written_at as timestamp) as written_at,
        line_number,
    from keyed
    qualify row_number() over (partition by tip_id order by line_number) = 1
)

select * from final
