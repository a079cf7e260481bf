-- One row per line of the imported release's answers.jsonl; fault says why a line cannot be used.
with lines as (
    select *
    from {{ object_lines('release_answers', ['qid', 'answer_business_ids', 'answer_count']) }}
),

parsed as (
    select
        line_number,
        reason,
        if(json_valid(line), line, '{}')::json as line,
    from lines
),

listed as (
    select
        *,
        line -> '$.answer_business_ids[*]' as listed_ids,
    from parsed
),

final as (
    select
        line_number,
        if({{ is_id("line -> 'qid'") }}, line ->> 'qid', null) as qid,
        list_transform(listed_ids, lambda id: id ->> '$') as record_ids,
        json_array_length(line, 'answer_business_names')::integer as name_count,
        if(
            json_type(line, 'answer_count') in ('UBIGINT', 'BIGINT'),
            try_cast(line ->> 'answer_count' as integer), null
        ) as answer_count,
        case
            when reason is not null then reason
            when not {{ is_id("line -> 'qid'") }} then 'has a qid that is no string'
            when
                json_type(line, 'answer_business_ids') != 'ARRAY'
                or len(list_filter(listed_ids, lambda id: not {{ is_id('id') }})) > 0
                then 'has answer_business_ids that are no list of strings'
        end as fault,
    from listed
)

select * from final
