-- One row per thing that is wrong with the field catalogue, the quotas or the decisions, by file
-- and line. Any of them stops the build here, before a file of the collection is read.
{{ config(post_hook=[{'transaction': false, 'sql': "{{ stop_for_problems(
    'the files below cannot be used as they are'
) }}"}]) }}
with field_lines as (select * from {{ ref('stg_field_rules') }}),

quota_lines as (select * from {{ ref('stg_quotas') }}),

decision_lines as (select * from {{ ref('decision_lines') }}),

unusable_lines as (
    select
        file,
        line_number,
        fault,
    from field_lines
    union all
    select
        file,
        line_number,
        fault,
    from quota_lines
    union all
    select
        file,
        line_number,
        fault,
    from decision_lines
),

-- What the lines of one field have to agree on, as far as they say it.
field_statements as (
    select
        file,
        line_number,
        field,
        unnest([
            {'name': 'tier', 'stated': tier},
            {'name': 'weight', 'stated': weight::varchar},
            {'name': 'phrase', 'stated': if(field = '*', phrase, null)}
        ], recursive := true),
    from field_lines
    where fault is null
),

first_statements as (
    select
        *,
        first_value(stated) over first_line as first_stated,
        first_value(line_number) over first_line as first_number,
    from field_statements
    where stated is not null
    window first_line as (partition by field, name order by line_number)
),

repeated_rules as (
    select
        file,
        line_number,
        first_value(line_number) over (
            partition by field, operator, value order by line_number
        ) as first_number,
    from field_lines
    where fault is null and value is not null
),

repeated_subsets as (
    select
        file,
        line_number,
        subset,
        first_value(line_number) over (partition by subset order by line_number) as first_number,
    from quota_lines
    where fault is null
),

quota_sums as (
    select
        given.file,
        coalesce(sum(quota_lines.questions), 0) as question_count,
        count(quota_lines.fault) as fault_count,
    from glob(getvariable('build')['input_quotas']) as given
    left join quota_lines using (file)
    where getvariable('build')['input_quotas'] != getvariable('build')['nothing']
    group by given.file
),

problems as (
    select
        file,
        line_number,
        'unusable line' as kind,
        fault || '; repair or remove the line' as problem,
    from unusable_lines
    where fault is not null
    union all
    select
        file,
        line_number,
        'contradiction' as kind,
        format(
            'the {} of ''{}'' is {}, and {} in line {}; make them agree',
            name, field, stated, first_stated, first_number
        ) as problem,
    from first_statements
    where stated != first_stated
    union all
    select
        file,
        line_number,
        'repetition' as kind,
        format('repeats line {}; keep one of them', first_number) as problem,
    from repeated_rules
    where line_number > first_number
    union all
    select
        file,
        line_number,
        'repetition' as kind,
        format('repeats the subset ''{}'' of line {}; keep one of them', subset, first_number)
            as problem,
    from repeated_subsets
    where line_number > first_number
    union all
    select
        file,
        null as line_number,
        'wrong sum' as kind,
        format('comes to {} questions; give 1 to 100,000', question_count) as problem,
    from quota_sums
    where fault_count = 0 and question_count not between 1 and 100000
),

final as (
    select
        file,
        line_number,
        kind,
        problem,
    from problems
)

select * from final
