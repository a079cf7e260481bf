-- Lines of an input file that are neither accepted nor rejected, or both.
-- A line about an unknown business is staged as it is and rejected; only the latter counts here.
{%- set files = [
    ('business', 'stg_businesses'), ('review', 'stg_reviews'), ('tip', 'stg_tips'),
    ('user', 'stg_users'), ('checkin', 'stg_checkins'), ('photos', 'stg_photos'),
] %}
with businesses as (select * from {{ ref('stg_businesses') }}),

lines as (
    {%- for file, model in files %}
    select
        '{{ file }}' as file,
        line_number,
    from {{ input_lines(file, []) }} as lines
    {{ 'union all' if not loop.last }}
    {%- endfor %}
),

places as (
    {%- for file, model in files %}
    select
        '{{ file }}' as file,
        line_number,
    from {{ ref(model) }}
    {%- if file != 'user' %}
    where business_id in (select business_id from businesses)
    {%- endif %}
    union all
    {%- endfor %}
    select
        file,
        line_number,
    from {{ ref('rejected_rows') }}
),

final as (
    select
        lines.file,
        lines.line_number,
        count(places.file) as place_count,
    from lines
    left join places on lines.file = places.file and lines.line_number = places.line_number
    group by lines.file, lines.line_number
    having count(places.file) != 1
)

select * from final
