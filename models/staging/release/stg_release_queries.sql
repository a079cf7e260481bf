-- One row per line of the imported release's queries.jsonl; fault says why a line cannot be used.
with lines as (
    select * from {{ object_lines('release_queries', ['qid', 'query', 'subset', 'answer_count']) }}
),

subset_quotas as (select * from {{ ref('subset_quotas') }}),

parsed as (
    select
        line_number,
        reason,
        if(json_valid(line), line, '{}')::json as line,
    from lines
),

-- Text_Geo is Geo_Text.
subset_names as (
    select
        subset,
        list_sort(string_split(lower(release_name), '_')) as parts,
    from subset_quotas
),

final as (
    select
        parsed.line_number,
        if({{ is_id("line -> 'qid'") }}, line ->> 'qid', null) as qid,
        line ->> 'query' as query,
        line ->> 'subset' as release_name,
        subset_names.subset,
        if(
            json_type(line, 'answer_count') in ('UBIGINT', 'BIGINT'),
            try_cast(line ->> 'answer_count' as integer), null
        ) as answer_count,
        case
            when reason is not null then reason
            when not {{ is_id("line -> 'qid'") }} then 'has a qid that is no string'
            when json_type(line, 'query') != 'VARCHAR' then 'has a query that is no string'
        end as fault,
    from parsed
    left join subset_names
        on list_sort(string_split(lower(line ->> 'subset'), '_')) = subset_names.parts
)

select * from final
