{#-
    Comments of a table of answers: those of its yml, and for the columns that every answer has
    those of `responses`, where they are described once.
-#}
{% macro describe_answers(target_relation) -%}
    {%- set columns = {} -%}
    {%- for node in graph.nodes.values() if node.name == 'responses' -%}
        {%- do columns.update(node.columns) -%}
    {%- endfor -%}
    {%- do columns.update(model.columns) -%}
    {% do persist_docs(target_relation, dict(model, columns=columns)) %}
{%- endmacro %}


{#- Enters a table of answers into quality.answer_tables, once. -#}
{% macro register_answers(target_relation) -%}
    {% do run_query('create schema if not exists quality') %}
    {% do run_query(
        'create table if not exists quality.answer_tables (schema_name varchar, table_name varchar)') %}
    {% do heterqa.describe_ledger('answer_tables') %}
    {% do run_query(
        "insert into quality.answer_tables select '" ~ target_relation.schema ~ "', '"
        ~ target_relation.identifier ~ "' except select * from quality.answer_tables") %}
{%- endmacro %}


{#- Comments of a table that the materialization itself keeps: those of the source `ledger`. -#}
{% macro describe_ledger(name) -%}
    {%- set relation = api.Relation.create(schema='quality', identifier=name, type='table') -%}
    {%- for node in graph.sources.values() if node.source_name == 'ledger' and node.name == name -%}
        {% do persist_docs(relation, node) %}
    {%- endfor -%}
{%- endmacro %}


{#- One row a run: what was asked and what the stored answers saved. -#}
{% macro count_calls(target_relation, requests, open, taken, asked, reused, seconds) -%}
    {% do run_query(
        'create table if not exists quality.asked'
        ~ ' (invocation_id varchar, model varchar, asked bigint, reused bigint, seconds double)') %}
    {%- for column in ['unresolved bigint', 'input_tokens bigint', 'output_tokens bigint',
        'cost double', 'saved_tokens bigint', 'saved_ms double', 'saved_cost double'] -%}
        {% do run_query('alter table quality.asked add column if not exists ' ~ column) %}
    {%- endfor -%}
    {% do heterqa.describe_ledger('asked') %}
    {%- set counted -%}
        insert into quality.asked by name
        with answers as (
            select
                *,
                request_key in (select request_key from {{ open }}) as is_new,
            from {{ target_relation }}
            where request_key in (select request_key from {{ requests }})
        )

        select
            '{{ invocation_id }}' as invocation_id,
            '{{ model.name }}' as model,
            {{ asked }} as asked,
            {{ reused }} as reused,
            {{ '{:.3f}'.format(seconds) }} as seconds,
            count(*) filter (where error is not null) as unresolved,
            coalesce((select sum(input_tokens) from {{ taken }}), 0) as input_tokens,
            coalesce((select sum(output_tokens) from {{ taken }}), 0) as output_tokens,
            coalesce((select sum(cost) from {{ taken }}), 0) as cost,
            coalesce(sum(input_tokens + output_tokens) filter (where not is_new), 0)
                as saved_tokens,
            coalesce(sum(latency_ms) filter (where not is_new), 0) as saved_ms,
            coalesce(sum(cost) filter (where not is_new), 0) as saved_cost,
        from answers
    {%- endset -%}
    {% do run_query(counted) %}
{%- endmacro %}


{#-
    The resumable models of this build, ordered by name; none while dbt is still parsing. Raises an
    error for one that dbt could make after the model which lists them.
-#}
{% macro resumable_models() -%}
    {%- if not execute -%}
        {{ return([]) }}
    {%- endif -%}
    {%- set above = [] -%}
    {%- set level = namespace(nodes=model.depends_on.nodes) -%}
    {%- for _ in graph.nodes -%}
        {%- set parents = [] -%}
        {%- for unique_id in level.nodes if unique_id not in above -%}
            {%- do above.append(unique_id) -%}
            {%- do parents.extend(graph.nodes.get(unique_id, {}).get('depends_on', {}).get('nodes', [])) -%}
        {%- endfor -%}
        {%- set level.nodes = parents | unique | list -%}
    {%- endfor -%}
    {%- set found = graph.nodes.values() | selectattr('config.materialized', 'equalto', 'resumable')
        | sort(attribute='name') | list -%}
    {%- for node in found if node.unique_id not in above -%}
        {{ exceptions.raise_compiler_error(
            model.name ~ " lists " ~ node.name ~ ", which may be made after it: add `-- depends_on: "
            ~ "{{ ref('" ~ node.name ~ "') }}` to " ~ model.name ~ ".sql") }}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}
