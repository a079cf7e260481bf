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

-- Keys are taken from accepted lines only: what is no JSON has none.
keyed_lines as (
    {%- for name, keys, unit, unit_key in files %}
    select
        '{{ name }}' as file,
        line_number,
        reason,
        '{{ unit }}' as unit,
        if(reason is null, {{ unit_key }}, null)::varchar as unit_key,
        {%- if 'business_id' in keys %}
        if(reason is null, line ->> 'business_id', null) as business_id,
        {%- else %}
        null as business_id,
        {%- endif %}
    from {{ input_lines(name, keys) }} as lines
    {{ 'union all' if not loop.last }}
    {%- endfor %}
),

judged_lines as (
    select
        file,
        line_number,
        case
            when reason is not null then reason
            when row_number() over (partition by file, reason, unit_key order by line_number) > 1
                then 'repeats a ' || unit
            when
                business_id is not null
                and business_id not in (select business_id from businesses)
                then 'is about an unknown business_id'
        end as reason,
    from keyed_lines
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
