{#-
    The lines of one input file, blank ones left out: line_number, line (text).
    A line is read as one column: the delimiter is one that no text holds.
    The path is a DuckDB variable that the plugin sets from the settings, so no model names a folder.
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
                getvariable('input_{{ name }}'),
                columns = {'line': 'varchar'}, auto_detect = false, header = false,
                delim = e'\x01\x02\x03\x04', quote = '', escape = '', strict_mode = false,
                max_line_size = 16777216
            )
        ) as numbered
        where trim(coalesce(line, '')) != ''
    )
{%- endmacro %}


{#-
    The non-blank lines of one input file: line_number, line (text), reason (null when the line is an
    object that holds every key in `keys`, else why it is rejected).
-#}
{% macro input_lines(name, keys) -%}
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


{#- The lines of one input file that are accepted: the first of each key. -#}
{% macro accepted_lines(name, keys, unique_key=none) -%}
    (
        select
            line_number,
            line::json as line,
        from {{ input_lines(name, keys) }} as lines
        where reason is null
        {%- if unique_key %}
        qualify row_number() over (
            partition by line ->> '{{ unique_key }}' order by line_number
        ) = 1
        {%- endif %}
    )
{%- endmacro %}


{#- A text as one line: every run of white space is one space, none at the ends. -#}
{% macro one_line(content) -%}
    trim(regexp_replace({{ content }}, '\s+', ' ', 'g'))
{%- endmacro %}
