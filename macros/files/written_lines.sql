{#-
    The lines of the files of one kind that people write (a release, the field catalogue, quotas,
    decisions), blank ones left out: file, line_number, line (text).
    A line is read as one column: the delimiter is one that no text holds.
    The path is in a DuckDB variable that the plugin sets from the settings, so no model names a
    folder; it may be a pattern of several files.
-#}
{% macro file_lines(name) -%}
    (
        select
            file,
            line_number - min(line_number) over (partition by file) + 1 as line_number,
            line,
        from (
            select
                filename as file,
                row_number() over () as line_number,
                line,
            from read_csv(
                getvariable('build')['input_{{ name }}'],
                columns = {'line': 'varchar'}, auto_detect = false, header = false,
                delim = e'\x01\x02\x03\x04', quote = '', escape = '', strict_mode = false,
                max_line_size = 16777216, filename = true
            )
        ) as numbered
        qualify trim(coalesce(line, '')) != ''
    )
{%- endmacro %}


{#-
    The lines of files with a JSON object a line: file, line_number, line (text), reason (null when
    the line is an object that holds every key in `keys`, else why it is rejected).
-#}
{% macro object_lines(name, keys) -%}
    (
        select
            file,
            line_number,
            line,
            case
                when not json_valid(line) then 'is not JSON'
                when json_type(line) != 'OBJECT' then 'is not a JSON object'
                {%- for key in keys %}
                when coalesce(trim(line ->> '{{ key }}'), '') = '' then 'has no {{ key }}'
                {%- endfor %}
            end as reason,
        from {{ file_lines(name) }} as file_lines
    )
{%- endmacro %}


{#- Whether a JSON value can be an id: a string that is not blank, or a whole number. -#}
{% macro is_id(value) -%}
    coalesce(
        json_type({{ value }}) in ('VARCHAR', 'UBIGINT', 'BIGINT')
        and trim({{ value }} ->> '$') != '',
        false
    )
{%- endmacro %}


{#-
    The lines of a CSV below its header, without those that are blank: file, line_number, fault (why
    the line cannot be used, else null) and a text for each of `columns`, null where it is blank or
    the file lacks the column. Of a file whose header has a fault, an empty one too, there is only
    that line. A value may stand in quotes, and ends with its line.

    needed: those of the columns that the header has to name
-#}
{% macro csv_lines(name, columns, needed) -%}
    {%- set cell = '\\s*"(?:[^"]|"")*"\\s*|\\s*(?:[^",\\s][^,]*)?' -%}
    (
        select
            file,
            line_number,
            {%- for column in columns %}
            nullif(cells[list_position(header, '{{ column }}')], '') as {{ column }},
            {%- endfor %}
            case
                when not regexp_full_match(line, '(?:{{ cell }})(?:,(?:{{ cell }}))*')
                    then 'is not CSV (a quotation mark is not closed, or text follows one)'
                when unknown_column is not null
                    then format(
                        'there is no column ''{}''; the columns are {{ columns | join(", ") }}',
                        unknown_column
                    )
                when is_header and (
                    not coalesce(list_has_all(header, {{ needed }}), false)
                    or list_unique(header) < len(header)
                )
                    then 'does not name {{ needed | join(" and ") }}, and no column twice; '
                    || 'the columns are {{ columns | join(", ") }}'
                when len(cells) > len(header)
                    then 'has more values than the first line has columns; '
                    || 'a value with a comma stands in quotes'
            end as fault,
        from (
            select
                *,
                line_number = min(line_number) over () as is_header,
                first_value(cells) over (order by line_number) as header,
                if(
                    is_header,
                    list_filter(cells, lambda name: not list_contains({{ columns }}, name))[1], null
                ) as unknown_column,
            from (
                select
                    given.file,
                    coalesce(lines.line_number, 1) as line_number,
                    lines.line,
                    list_transform(
                        regexp_extract_all(',' || lines.line, ',({{ cell }})', 1),
                        lambda cell: {{ one_line(csv_value('trim(cell)')) }}
                    ) as cells,
                from glob(getvariable('build')['input_{{ name }}']) as given
                left join {{ file_lines(name) }} as lines on given.file = lines.file
                where getvariable('build')['input_{{ name }}'] != getvariable('build')['nothing']
            ) as split_lines
        ) as headed_lines
        qualify if(is_header, fault is not null, not bool_or(is_header and fault is not null) over ())
            and (fault is not null or array_to_string(cells, '') != '')
    )
{%- endmacro %}


{#- A value without the quotes around it. -#}
{% macro csv_value(value) -%}
    if(
        regexp_full_match({{ value }}, '".*"', 's'),
        replace(({{ value }})[2:-2], '""', '"'), {{ value }}
    )
{%- endmacro %}
