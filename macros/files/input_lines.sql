{#-
    The lines of an input file as rows, in the file's order: the columns of both vintages, as text
    or JSON, and nothing else. `content` is the line; a line that is no JSON is a row of nulls.
    Paths are in a DuckDB variable that the plugin sets, so no model names a folder.

    JSON objects are read first, and their members taken out in a second step. read_json does both
    at once, in half the time, but a line that is cut off behind a colon costs it the next line too:
    only a file without a faulty line may be read with read_json.

    only: the columns that are wanted; all when none
    path: expression of the path, that of the input file when none
-#}
{% macro input_lines(name, only=none, path=none, is_faultless=false) -%}
{%- set columns = {
    'business': {
        'business_id': 'varchar', 'name': 'varchar', 'address': 'varchar', 'city': 'varchar',
        'state': 'varchar', 'postal_code': 'varchar', 'full_address': 'varchar',
        'latitude': 'varchar', 'longitude': 'varchar', 'stars': 'varchar',
        'review_count': 'varchar', 'is_open': 'varchar', 'open': 'varchar',
        'categories': 'json', 'attributes': 'json',
    },
    'review': {
        'review_id': 'varchar', 'business_id': 'varchar', 'user_id': 'varchar',
        'text': 'varchar', 'stars': 'varchar', 'date': 'varchar',
    },
    'tip': {
        'business_id': 'varchar', 'user_id': 'varchar', 'text': 'varchar', 'date': 'varchar',
    },
    'user': {'user_id': 'varchar'},
    'checkin': {'business_id': 'varchar'},
    'photos': {
        'photo_id': 'varchar', 'business_id': 'varchar', 'caption': 'varchar', 'label': 'varchar',
    },
} -%}
{%- set wanted = only or (columns[name] | list) -%}
    {%- if is_faultless -%}
    read_json(
        {{ path or "getvariable('build')['input_" ~ name ~ "']" }},
        format = 'newline_delimited', records = true, ignore_errors = true, columns = {
            {%- for column in wanted -%}
            '{{ column }}': '{{ columns[name][column] }}'{{ ', ' if not loop.last }}
            {%- endfor -%}
        }
    )
    {%- else -%}
    (
        select
            json as content,
            {%- for column in wanted %}
            fields."{{ column }}",
            {%- endfor %}
        from (
            select
                json,
                json_transform(json, '{
                    {%- for column in wanted -%}
                    "{{ column }}": "{{ columns[name][column] }}"{{ ', ' if not loop.last }}
                    {%- endfor -%}
                }') as fields,
            from read_ndjson_objects(
                {{ path or "getvariable('build')['input_" ~ name ~ "']" }}, ignore_errors = true
            )
        ) as objects
    )
    {%- endif -%}
{%- endmacro %}


{#- The lines of one input file that are accepted, with their numbers. -#}
{% macro accepted_lines(name, key) -%}
    (
        select lines.*
        from (
            select
                row_number() over () as line_number,
                * exclude (content),
            from {{ input_lines(name) }} as read_lines
        ) as lines
        where
            {{ key }} is not null
            and line_number not in (
                select line_number from {{ ref('rejected_' ~ name ~ '_lines') }}
            )
    )
{%- endmacro %}


{#-
    Statements that judge each line by itself, and keep its key for the comparison of lines. The
    table is in the file's order, so that its rowid is the line's number: numbering the rows as they
    are read would read them one after the other, and a join here would lose the order.

    The first reading takes the file to be faultless. When it meets a fault, a second and careful
    reading reads the same file; otherwise the second reading reads an empty file.

    ids: columns that must hold an id; the first of them is the id of the line
    line_key: expression whose value no two lines share
    others: further columns that line_key or fault reads
    text: a column that must not be null
    fault: further `when ... then ...` branches
-#}
{% macro keep_lines(name, ids, line_key, text=none, others=[], fault='') -%}
{%- set wanted = ids + ([text] if text else []) + others -%}
{%- for is_careful in [false, true] %}
    {%- if is_careful %};
    set variable careful_{{ name }} = (
        select if(
            count(fault) > 0,
            getvariable('build')['input_{{ name }}'], getvariable('build')['nothing']
        )
        from {{ name }}_lines
    );
    {% endif -%}
    create or replace temp table {{ name }}_lines{{ '_again' if is_careful }} as
    select
        {{ line_key }} as line_key,
        {{ 'business_id' if 'business_id' in ids else 'null' }} as business_id,
        case
            {%- if is_careful %}
            when {{ ids[0] }} is null and content is null then 'is not JSON'
            when {{ ids[0] }} is null and json_type(content) != 'OBJECT'
                then 'is not a JSON object'
            {%- endif %}
            {%- for id in ids %}
            when {{ id }} is null or ({{ id }} < '!' and trim({{ id }}) = '') then 'has no {{ id }}'
            {%- endfor %}
            {%- if text %}
            when {{ text }} is null then 'has no {{ text }}'
            {%- endif %}
            when strlen({{ ids[0] }}) > 128 or regexp_matches({{ ids[0] }}, '[[:cntrl:]]')
                then 'has a {{ ids[0] }} that is no id'
            {{ fault }}
        end as fault,
    {%- if is_careful %}
    from {{ input_lines(name, wanted, path="getvariable('careful_" ~ name ~ "')") }} as read_lines
    {%- else %}
    from {{ input_lines(name, wanted, is_faultless=true) }} as read_lines
    {%- endif %}
{%- endfor %}
{%- endmacro %}


{#- The reading of keep_lines that counts: line_number, line_key, business_id, fault. -#}
{% macro kept_lines(name) -%}
    (
        {%- for table in [name ~ '_lines', name ~ '_lines_again'] %}
        select
            rowid + 1 as line_number,
            line_key,
            business_id,
            fault,
        from {{ table }}
        {%- if loop.first %}
        where getvariable('careful_{{ name }}') = getvariable('build')['nothing']
        union all
        {%- endif %}
        {%- endfor %}
    )
{%- endmacro %}


{#- Statements that drop the tables of keep_lines. -#}
{% macro drop_lines(name) -%}
    drop table if exists {{ name }}_lines;
    drop table if exists {{ name }}_lines_again
{%- endmacro %}


{#- The lines that the copy of an input file leaves out; a blank line has no reason. -#}
{% macro skipped_lines(name) -%}
    read_json(
        getvariable('build')['skipped_{{ name }}'], format = 'newline_delimited',
        columns = {'line_number': 'bigint', 'reason': 'varchar'}
    )
{%- endmacro %}


{#-
    The query of a rejected_*_lines model: each line that is not accepted, with the first reason
    that holds. Of several lines with one key the first is accepted.
-#}
{% macro rejected_lines(name, unit) -%}
with kept_lines as (select * from {{ kept_lines(name) }}),

skipped_lines as (select * from {{ skipped_lines(name) }}),

repeated_keys as (
    select line_key
    from kept_lines
    where fault is null
    group by line_key
    having count(*) > 1
),

repeating_lines as (
    select line_number
    from kept_lines
    where fault is null and line_key in (select line_key from repeated_keys)
    qualify row_number() over (partition by line_key order by line_number) > 1
),

judged_lines as (
    select
        line_number,
        reason,
    from skipped_lines
    union all
    select
        line_number,
        fault as reason,
    from kept_lines
    where
        fault is not null
        and line_number not in (select line_number from skipped_lines)
    union all
    select
        line_number,
        'repeats a {{ unit }}' as reason,
    from repeating_lines
    {%- if name not in ['business', 'user'] %}
    union all
    select
        line_number,
        'is about an unknown business_id' as reason,
    from kept_lines
    where
        fault is null
        and business_id not in (select business_id from {{ ref('stg_businesses') }})
        and line_number not in (select line_number from repeating_lines)
    {%- endif %}
),

final as (
    select
        line_number,
        reason,
    from judged_lines
    where reason is not null
)

select * from final
{%- endmacro %}


{#- A user's id as the warehouse has it: without the salt nobody can tell which user it is. -#}
{% macro hashed_user(user_id) -%}
    if(
        trim({{ user_id }}) != '',
        left(sha256(getvariable('build')['user_salt'] || ':' || {{ user_id }}), 22), null
    )
{%- endmacro %}


{#- The id of a tip, which the file does not give: a hash of business, user, date and text. -#}
{% macro tip_id() -%}
    left(md5(to_json([business_id, {{ hashed_user('user_id') }}, "date", "text"])), 22)
{%- endmacro %}


{#- A text as one line: every run of white space is one space, none at the ends. -#}
{% macro one_line(content) -%}
    trim(regexp_replace({{ content }}, '\s+', ' ', 'g'))
{%- endmacro %}


{#- The branch of keep_lines that rejects coordinates which are not on the globe. -#}
{% macro off_the_globe() -%}
    when
        not coalesce(try_cast(latitude as double) between -90 and 90, true)
        or not coalesce(try_cast(longitude as double) between -180 and 180, true)
        then 'has coordinates outside the globe'
{%- endmacro %}
