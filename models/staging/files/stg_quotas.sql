-- One row per line of the file of HETERQA_QUOTAS, the questions of a subset; fault says why a line
-- cannot be used. No rows without such a file.
with lines as (
    select *
    from {{ csv_lines(
        'quotas', columns=['subset', 'questions'], needed=['subset', 'questions']
    ) }}
),

subset_quotas as (select * from {{ ref('subset_quotas') }}),

known_subsets as (
    select
        list(subset) as subsets,
        string_agg(subset, ' ' order by subset) as names,
    from subset_quotas
),

final as (
    select
        lines.file,
        lines.line_number,
        lines.subset,
        try_cast(lines.questions as integer) as questions,
        case
            when lines.fault is not null then lines.fault
            when not coalesce(list_contains(known_subsets.subsets, lines.subset), false)
                then format('''{}'' is none of {}', coalesce(lines.subset, ''), known_subsets.names)
            when
                not regexp_full_match(coalesce(lines.questions, ''), '[0-9]+')
                or try_cast(lines.questions as integer) is null
                then format(
                    '''{}'' is not a whole number of questions', coalesce(lines.questions, '')
                )
        end as fault,
    from lines
    cross join known_subsets
)

select * from final
