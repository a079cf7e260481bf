-- Input files of which not each line is either accepted or rejected, once. An accepted review is a
-- row of texts: nothing else keeps it.
{%- set files = [
    ('business', 'stg_businesses'), ('tip', 'stg_tips'), ('user', 'stg_users'),
    ('checkin', 'stg_checkins'), ('photos', 'stg_photos'),
] %}
with input_counts as (select * from {{ ref('input_counts') }}),

places as (
    {%- for file, model in files %}
    select
        '{{ file }}' as file,
        line_number::varchar as place,
    from {{ ref(model) }}
    union all
    {%- endfor %}
    select
        'review' as file,
        text_id as place,
    from {{ ref('texts') }}
    where source_kind = 'review'
    union all
    select
        file,
        line_number::varchar as place,
    from {{ ref('rejected_rows') }}
),

counts as (
    select
        file,
        count(*) as place_count,
        count(distinct place) as distinct_count,
    from places
    group by file
),

final as (
    select
        input_counts.file,
        input_counts.line_count,
        counts.place_count,
        counts.distinct_count,
    from input_counts
    left join counts on input_counts.file = counts.file
    where
        input_counts.line_count != coalesce(counts.place_count, 0)
        or input_counts.line_count != coalesce(counts.distinct_count, 0)
)

select * from final
