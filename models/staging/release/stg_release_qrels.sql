-- One row per line of the imported release's test.tsv, but for a correct header; fault says why a
-- line cannot be used.
with lines as (
    select
        line_number,
        string_split(rtrim(line, e'\r'), e'\t') as fields,
    from {{ file_lines('release_qrels') }}
),

-- A field that holds a quote is quoted.
unquoted as (
    select
        line_number,
        list_transform(fields, lambda field: {{ csv_value('field') }}) as fields,
    from lines
),

final as (
    select
        line_number,
        fields[1] as qid,
        fields[2] as record_id,
        line_number = min(line_number) over () as is_header,
        case
            when line_number = min(line_number) over ()
                then 'is not the header query-id, corpus-id, score, with tabs between'
            when len(fields) != 3 or trim(fields[1]) = '' or trim(fields[2]) = ''
                then 'is not a query-id, a corpus-id and a score, with tabs between'
            when coalesce(try_cast(fields[3] as double), 0) != 1
                then 'has the score ''' || fields[3] || ''', which can only be 1'
        end as fault,
    from unquoted
    qualify
        line_number != min(line_number) over ()
        or fields != ['query-id', 'corpus-id', 'score']
)

select * from final
