-- One row per line of decisions/*.jsonl; fault says why a line decides nothing.
with lines as (
    select * from {{ object_lines('decisions', ['attempt_id', 'record_id', 'question']) }}
),

parsed as (
    select
        file,
        line_number,
        reason,
        if(json_valid(line), line, '{}')::json as line,
    from lines
),

final as (
    select
        file,
        line_number,
        line ->> 'attempt_id' as attempt_id,
        line ->> 'record_id' as record_id,
        line ->> 'question' as question,
        line ->> 'decision' as decision,
        line ->> 'decided_by' as decided_by,
        line ->> 'decided_at' as decided_at,
        case
            when reason is not null then reason
            {%- for key in ['attempt_id', 'record_id'] %}
            when not {{ is_id("line -> '" ~ key ~ "'") }} then 'has a {{ key }} that is no id'
            {%- endfor %}
            when json_type(line, 'question') is distinct from 'VARCHAR' or trim(question) = ''
                then 'has a question that is no string'
            when decision not in ('keep', 'remove', '')
                then format('the decision ''{}'' is neither ''keep'' nor ''remove''', decision)
        end as fault,
    from parsed
)

select * from final
