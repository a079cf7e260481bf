-- Input files of which not each line is either accepted or rejected, once.
{%- set files = [
    ('business', 'stg_businesses'), ('review', 'stg_reviews'), ('tip', 'stg_tips'),
    ('user', 'stg_users'), ('checkin', 'stg_checkins'), ('photos', 'stg_photos'),
] %}
with input_counts as (select * from {{ ref('input_counts') }}),

places as (
    {%- for file, model in files %}
    select
        '{{ file }}' as file,
        line_number,
    from {{ ref(model) }}
    union all
    {%- endfor %}
    select
        file,
        line_number,
    from {{ ref('rejected_rows') }}
),

counts as (
    select
        file,
        count(*) as place_count,
        count(distinct line_number) as distinct_count,
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
