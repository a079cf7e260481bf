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
        {#- In a release the files are listed from the queries to the answers. -#}
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


{#-
    Logs which lines of each input file were rejected, and why; stops the build when they are more
    than max_rejected_share of a file's lines.
-#}
{% macro stop_for_rejected_rows() -%}
    {%- if execute -%}
    {%- set counts = run_query(
        "select file, line_count, reason, count(*) as rejected_count,"
        ~ " sum(count(*)) over (partition by file) as file_count,"
        ~ " array_to_string(list(line_number order by line_number)[:3], ', ') as first_lines"
        ~ " from " ~ this ~ " inner join " ~ ref('input_counts') ~ " using (file)"
        ~ " group by file, line_count, reason order by file, rejected_count desc, reason"
    ).rows -%}
    {%- set limit = var('max_rejected_share') -%}
    {%- set said = namespace(lines=[], is_too_much=false) -%}
    {%- for row in counts -%}
        {%- set share = row['file_count'] / row['line_count'] -%}
        {%- if share > limit -%}{%- set said.is_too_much = true -%}{%- endif -%}
        {%- do said.lines.append(
            '  ' ~ row['file'] ~ ': ' ~ '{:,}'.format(row['rejected_count']) ~ ' of '
            ~ '{:,}'.format(row['line_count']) ~ ' lines rejected: ' ~ row['reason'] ~ ' (line '
            ~ row['first_lines'] ~ (', ...' if row['rejected_count'] > 3 else '') ~ ')'
        ) -%}
    {%- endfor -%}
    {%- if said.is_too_much -%}
        {{ exceptions.raise_compiler_error(
            'UserError: too many lines cannot be used:\n' ~ said.lines | join('\n')
            ~ '\nRepair the files in HETERQA_DATA, or raise the var max_rejected_share ('
            ~ limit ~ ') in dbt_project/dbt_project.yml to go on without these lines') }}
    {%- endif -%}
    {%- for line in said.lines -%}
        {{ log(line, info=true) }}
    {%- endfor -%}
    {%- endif -%}
    select 1
{%- endmacro %}


{#- Logs how many rows of photos lack their file, and how many files lack their row. -#}
{% macro say_photo_files() -%}
    {%- if execute -%}
    {%- set counts = run_query(
        "select count(*) filter (not has_file), count(*) filter (not has_row) from " ~ this
    ).rows[0] -%}
    {%- if counts[0] > 0 or counts[1] > 0 -%}
        {{ log(
            '  photos: ' ~ '{:,}'.format(counts[0]) ~ ' rows without a file, '
            ~ '{:,}'.format(counts[1]) ~ ' files without a row', info=true) }}
    {%- endif -%}
    {%- endif -%}
    select 1
{%- endmacro %}
