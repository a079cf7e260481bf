{#-
    Stops the build when the model lists problems: the first ten by file and line, and how many of
    each kind. `UserError` has the build end with the exit code of input that cannot be used.

    opening: the beginning of the message, which names the files; condition: which problems stop it
-#}
{% macro stop_for_problems(opening, condition='true') -%}
    {%- if execute -%}
    {%- set problems = " from " ~ this ~ " where " ~ condition -%}
    {%- set kinds = run_query(
        "select kind, count(*) as problem_count" ~ problems
        ~ " group by kind order by problem_count desc, kind"
    ).rows -%}
    {%- if kinds | length > 0 -%}
        {%- set first_problems = run_query(
            "select concat(file, ', line ' || line_number, ': ', problem)" ~ problems
            ~ " order by file desc, line_number, problem limit 10"
        ).rows -%}
        {%- set said, counts = [], [] -%}
        {%- for row in first_problems -%}
            {%- do said.append(row[0]) -%}
        {%- endfor -%}
        {%- for row in kinds -%}
            {%- do counts.append(row[0] ~ ' ' ~ '{:,}'.format(row[1])) -%}
        {%- endfor -%}
        {%- set more = (kinds | sum(attribute=1)) - (said | length) -%}
        {%- if more > 0 -%}
            {%- do said.append(
                'and ' ~ '{:,}'.format(more) ~ ' more; all of them: select * from '
                ~ this.schema ~ '.' ~ this.name ~ ', in ' ~ target.path
            ) -%}
        {%- endif -%}
        {{ exceptions.raise_compiler_error(
            'UserError: ' ~ opening ~ ' (' ~ counts | join(', ') ~ '):\n' ~ said | join('\n')) }}
    {%- endif -%}
    {%- endif -%}
    select 1
{%- endmacro %}
