{#- Whether a JSON value can be an id: a string that is not blank, or a whole number. -#}
{% macro is_id(value) -%}
    coalesce(
        json_type({{ value }}) in ('VARCHAR', 'UBIGINT', 'BIGINT')
        and trim({{ value }} ->> '$') != '',
        false
    )
{%- endmacro %}


{#-
    The lines of one file of a release, blank ones left out: line_number, line (text).
    A line is read as one column: the delimiter is one that no text holds.
    The path is in a DuckDB variable that the plugin sets from the settings, so no model names a folder.
-#}
{% macro file_lines(name) -%}
    (
        select
            line_number,
            line,
        from (
            select
                row_number() over () as line_number,
                line,
            from read_csv(
                getvariable('build')['input_{{ name }}'],
                columns = {'line': 'varchar'}, auto_detect = false, header = false,
                delim = e'\x01\x02\x03\x04', quote = '', escape = '', strict_mode = false,
                max_line_size = 16777216
            )
        ) as numbered
        where trim(coalesce(line, '')) != ''
    )
{%- endmacro %}


{#-
    The non-blank lines of one file of a release: line_number, line (text), reason (null when the line is an
    object that holds every key in `keys`, else why it is rejected).
-#}
{% macro release_lines(name, keys) -%}
    (
        select
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
