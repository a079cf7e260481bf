-- One row per line of an input file that did not enter the warehouse, with the reason.
{%- set tip_key = "line ->> ['$.business_id', '$.user_id', '$.date', '$.text']" %}
{%- set files = [
    ('business', ['business_id'], 'business_id', "line ->> 'business_id'"),
    ('review', ['review_id', 'business_id', 'text'], 'review_id', "line ->> 'review_id'"),
    ('tip', ['business_id', 'text'], 'tip', tip_key),
    ('user', ['user_id'], 'user_id', "line ->> 'user_id'"),
    ('checkin', ['business_id'], 'business_id', "line ->> 'business_id'"),
    ('photos', ['photo_id', 'business_id'], 'photo_id', "line ->> 'photo_id'"),
] %}
with businesses as (select * from {{ ref('stg_businesses') }}),

judged_lines as (
    {%- for name, keys, unit, unit_key in files %}
    select
        '{{ name }}' as file,
        line_number,
        coalesce(
            reason,
            if(
                row_number() over (
                    partition by reason, if(reason is null, {{ unit_key }}, null)
                    order by line_number
                ) > 1,
                'repeats a {{ unit }}', null
            ),
            {%- if 'business_id' in keys and name != 'business' %}
            if(
                line ->> 'business_id' not in (select business_id from businesses),
                'is about an unknown business_id', null
            ),
            {%- endif %}
            null
        ) as reason,
    from {{ input_lines(name, keys) }} as lines
    {{ 'union all' if not loop.last }}
    {%- endfor %}
),

final as (
    select
        file,
        line_number,
        reason,
    from judged_lines
    where reason is not null
)

select * from final
