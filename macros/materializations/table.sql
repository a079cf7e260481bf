{#-
    A table that is dropped, made anew and commented in one statement of one transaction. dbt's own
    keeps the old table beside the new one until the end, for engines whose readers meet the tables
    of a build; here readers have the published file, and the five statements more that each of the
    tables takes are a fifth of a build in which nothing has changed.

    A Python model writes its table through a cursor of its own, so the old one goes before.
-#}
{% materialization table, adapter='duckdb', supported_languages=['sql', 'python'] %}
    {%- set language = model['language'] -%}
    {%- set target_relation = this.incorporate(type='table') -%}
    {%- set existing = load_cached_relation(this) -%}

    {{ run_hooks(pre_hooks, inside_transaction=False) }}
    {{ run_hooks(pre_hooks) }}
    {%- if existing is not none and (existing.type != 'table' or language == 'python') -%}
        {% do adapter.drop_relation(existing) %}
    {%- endif -%}
    {%- if language == 'python' -%}
        {{ adapter.commit() }}
        {%- call statement('main', language=language) -%}
            {{ create_table_as(false, target_relation, compiled_code, language) }}
        {%- endcall -%}
        {% do run_query(heterqa.comments(target_relation, model)) %}
    {%- else -%}
        {%- set create_table = create_table_as(false, target_relation, compiled_code) -%}
        {%- call statement('main') -%}
            drop table if exists {{ target_relation }};
            {{ create_table }};
            {{ heterqa.comments(target_relation, model) }}
        {%- endcall -%}
    {%- endif -%}

    {{ run_hooks(post_hooks) }}
    {{ adapter.commit() }}
    {{ run_hooks(post_hooks, inside_transaction=False) }}
    {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}


{#-
    The statements that comment a table and its columns by the descriptions of its yml. A column
    that is described and not there is an error.
-#}
{% macro comments(relation, node) -%}
    comment on table {{ relation }} is {{ duckdb_escape_comment(node.description) }};
    {%- for column in node.columns.values() if column.description %}
    comment on column {{ relation }}.{{ adapter.quote(column.name) }}
        is {{ duckdb_escape_comment(column.description) }};
    {%- endfor %}
{%- endmacro %}
