{#-
    A table of answers that survives a kill. The model is the query of its requests; the answering
    expression calls a model role. Only requests without an answer are sent, a chunk at a time, in
    key order, each chunk committed before the next is sent.

    config: request_key  column that is the hash of everything the answer depends on
            answer       SQL expression over the request's columns that yields the answer STRUCT
            chunk        requests a commit (default: var resumable_chunk)

    The expression is unnested into columns. A row whose `error` is not null is a failed call: it is
    asked again by the next build, never in a loop. Answers whose request is no longer made stay:
    they are paid for. `quality.asked` gets one row a run.
-#}
{% materialization resumable, adapter='duckdb' %}
    {%- set key = config.require('request_key') -%}
    {%- set answer = config.require('answer') -%}
    {%- set chunk = config.get('chunk', var('resumable_chunk')) | int -%}
    {%- set target_relation = this.incorporate(type='table') -%}
    {%- set requests = model.name ~ '__requests' -%}
    {%- set batch = model.name ~ '__batch' -%}
    {%- set answered = 'select *, unnest(' ~ answer ~ ')' -%}

    {{ run_hooks(pre_hooks) }}
    {%- call statement('requests') -%}
        create or replace temp table {{ requests }} as
        select * from ({{ compiled_code }}) as request
        qualify row_number() over (partition by {{ key }} order by {{ key }}) = 1
    {%- endcall -%}

    {%- set existing = load_cached_relation(this) -%}
    {%- if existing is not none and (should_full_refresh() or existing.type != 'table') -%}
        {% do adapter.drop_relation(existing) %}
        {%- set existing = none -%}
    {%- endif -%}
    {%- if existing is none -%}
        {% do run_query('create table ' ~ target_relation ~ ' as ' ~ answered ~ ' from ' ~ requests
            ~ ' limit 0') %}
    {%- else -%}
        {% do heterqa.check_same_columns(target_relation, requests, answered) %}
    {%- endif -%}

    {%- set open_requests -%}
        select request.* from {{ requests }} as request
        where not exists (
            select 1 from {{ target_relation }} as known
            where known.{{ key }} = request.{{ key }} and known.error is null
        )
    {%- endset -%}
    {% do run_query('create or replace temp table ' ~ requests ~ '_open as ' ~ open_requests) %}
    {%- set total = run_query('select count(*) from ' ~ requests).columns[0][0] | int -%}
    {%- set wanted = run_query('select count(*) from ' ~ requests ~ '_open').columns[0][0] | int -%}
    {%- set started = modules.datetime.datetime.now() -%}
    {{ heterqa.commit_and_begin() }}

    {%- set progress = namespace(asked=0, logged=started) -%}
    {%- for _ in range((wanted + chunk - 1) // chunk) -%}
        {% do run_query(
            'create or replace temp table ' ~ batch ~ ' as select * from ' ~ requests ~ '_open'
            ~ ' order by ' ~ key ~ ' limit ' ~ chunk ~ ' offset ' ~ progress.asked) %}
        {% do run_query(
            'create or replace temp table ' ~ batch ~ '_answers as ' ~ answered ~ ' from ' ~ batch) %}
        {% do run_query(
            'delete from ' ~ target_relation ~ ' where ' ~ key ~ ' in (select ' ~ key ~ ' from '
            ~ batch ~ ')') %}
        {% do run_query(
            'insert into ' ~ target_relation ~ ' by name select * from ' ~ batch ~ '_answers') %}
        {{ heterqa.commit_and_begin() }}
        {%- set progress.asked = [progress.asked + chunk, wanted] | min -%}
        {%- set now = modules.datetime.datetime.now() -%}
        {%- if loop.first or loop.last or (now - progress.logged).total_seconds() > 5 -%}
            {%- set seconds = [(now - started).total_seconds(), 0.001] | max -%}
            {%- set rate = progress.asked / seconds -%}
            {{ log(
                '  ' ~ model.name ~ ': ' ~ '{:,}'.format(progress.asked) ~ ' of '
                ~ '{:,}'.format(wanted) ~ ' asked, ' ~ '{:.0f}'.format(rate) ~ '/s, '
                ~ '{:.0f}'.format((wanted - progress.asked) / rate) ~ ' s left', info=true) }}
            {%- set progress.logged = now -%}
        {%- endif -%}
    {%- endfor -%}

    {%- set seconds = (modules.datetime.datetime.now() - started).total_seconds() -%}
    {%- if wanted > 0 -%}
        {%- set failed = run_query(
            'select count(*), any_value(error) from ' ~ target_relation ~ ' where error is not null'
            ~ ' and ' ~ key ~ ' in (select ' ~ key ~ ' from ' ~ requests ~ '_open)').rows[0] -%}
        {#- The few that a model always refuses, alone when all else is answered, stop no build. -#}
        {%- if failed[0] == wanted and wanted >= total * var('resumable_failed_share') -%}
            {{ exceptions.raise_compiler_error(
                model.name ~ ': all ' ~ wanted ~ ' calls failed, one of them with: ' ~ failed[1]) }}
        {%- elif failed[0] > 0 -%}
            {% do exceptions.warn(
                model.name ~ ': ' ~ failed[0] ~ ' of ' ~ wanted ~ ' calls failed and stay unanswered'
                ~ ' until the next build, one of them with: ' ~ failed[1]) %}
        {%- endif -%}
    {%- endif -%}
    {% do run_query('create schema if not exists quality') %}
    {% do run_query(
        "create table if not exists quality.asked (invocation_id varchar, model varchar, "
        ~ "asked bigint, reused bigint, seconds double)") %}
    {% do run_query(
        "insert into quality.asked values ('" ~ invocation_id ~ "', '" ~ model.name ~ "', "
        ~ wanted ~ ", " ~ (total - wanted) ~ ", " ~ '{:.3f}'.format(seconds) ~ ")") %}
    {%- call statement('main') -%}
        select {{ wanted }} as asked, {{ total - wanted }} as reused
    {%- endcall -%}

    {{ run_hooks(post_hooks) }}
    {{ adapter.commit() }}
    {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}


{#- Makes what was written so far survive a kill, and goes on in a new transaction. -#}
{% macro commit_and_begin() -%}
    {% do run_query('commit') %}
    {% do run_query('begin') %}
{%- endmacro %}


{#- Answers are kept over builds, so their columns must still be the model's. -#}
{% macro check_same_columns(target_relation, requests, answered) -%}
    {%- set stored = "select column_name, column_type from (describe " ~ target_relation ~ ")" -%}
    {%- set new = "select column_name, column_type from (describe " ~ answered ~ " from "
        ~ requests ~ ")" -%}
    {%- set difference = run_query(
        "(" ~ stored ~ " except " ~ new ~ ") union (" ~ new ~ " except " ~ stored ~ ")"
    ) -%}
    {%- if difference.rows | length > 0 -%}
        {{ exceptions.raise_compiler_error(
            "the stored answers of " ~ target_relation ~ " have other columns than this version's ("
            ~ difference.columns[0].values() | join(', ')
            ~ "): drop that table in " ~ target.path ~ " to ask anew, the others keep theirs") }}
    {%- endif -%}
{%- endmacro %}
