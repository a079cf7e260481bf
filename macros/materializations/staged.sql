{#-
    A table that is made anew only when something that it is made of has changed: an input file, a
    staged table that it reads, the salt, or its own SQL. What it was made of is a hash, which the
    database keeps at the end of the table's comment.

    config: inputs  names of the input files that the model reads

    Pre-hooks run only when the table is made, and count as its SQL.
-#}
{% materialization staged, adapter='duckdb' %}
    {%- set target_relation = this.incorporate(type='table') -%}
    {%- set existing = load_cached_relation(this) -%}
    {%- set preparations = [] -%}
    {%- for hook in pre_hooks -%}
        {%- do preparations.append(render(hook.get('sql'))) -%}
    {%- endfor -%}
    {%- set fingerprint = heterqa.staged_fingerprint(
        config.require('inputs'), preparations + [compiled_code]) -%}

    {%- if existing is not none and not should_full_refresh()
        and heterqa.stored_fingerprint(this.schema, this.identifier) == fingerprint -%}
        {%- call statement('main') -%} select 'unchanged' as status {%- endcall -%}
    {%- else -%}
        {%- for preparation in preparations -%}
            {% do run_query(preparation) %}
        {%- endfor -%}
        {%- if existing is not none -%}
            {% do adapter.drop_relation(existing) %}
        {%- endif -%}
        {%- call statement('main') -%}
            create table {{ target_relation }} as {{ compiled_code }}
        {%- endcall -%}
        {% do persist_docs(target_relation, model) %}
        {%- if fingerprint -%}
            {%- set said = (model.description | replace("'", "''") | trim) ~ ' Made of ' -%}
            {% do run_query(
                "comment on table " ~ target_relation ~ " is '" ~ said ~ fingerprint ~ "'") %}
        {%- endif -%}
    {%- endif -%}

    {{ run_hooks(post_hooks) }}
    {{ adapter.commit() }}
    {{ run_hooks(post_hooks, inside_transaction=False) }}
    {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}


{#- The hash of all that a staged table is made of; nothing when an input was not described. -#}
{% macro staged_fingerprint(inputs, statements) -%}
    {%- set parts = [run_query("select getvariable('build')['user_salt']").columns[0][0]] + statements -%}
    {%- for name in inputs -%}
        {%- set input = run_query("select getvariable('build')['fingerprint_" ~ name ~ "']").columns[0][0] -%}
        {%- if not input -%}
            {{ return('') }}
        {%- endif -%}
        {%- do parts.append(input) -%}
    {%- endfor -%}
    {%- set parents = [] -%}
    {%- for unique_id in model.depends_on.nodes -%}
        {%- set parent = graph.nodes.get(unique_id) -%}
        {%- do parents.append(parent) -%}
        {#- What an ephemeral model reads is read by the model itself. -#}
        {%- if parent and parent.config.materialized == 'ephemeral' -%}
            {%- for grandparent in parent.depends_on.nodes -%}
                {%- do parents.append(graph.nodes.get(grandparent)) -%}
            {%- endfor -%}
        {%- endif -%}
    {%- endfor -%}
    {%- for parent in parents -%}
        {%- if parent and parent.config.materialized == 'staged' -%}
            {%- set stored = heterqa.stored_fingerprint(parent.schema, parent.name) -%}
            {%- if not stored -%}
                {{ return('') }}
            {%- endif -%}
            {%- do parts.append(stored) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(local_md5(parts | join('\n'))) }}
{%- endmacro %}


{#- What a staged table was made of when it was made; nothing when there is none. -#}
{% macro stored_fingerprint(schema, name) -%}
    {%- set stored = run_query(
        "select regexp_extract(comment, '[0-9a-f]{32}$') from duckdb_tables() where database_name = current_database()"
        ~ " and schema_name = '" ~ schema ~ "' and table_name = '" ~ name ~ "'").rows -%}
    {{ return(stored[0][0] if stored | length > 0 else none) }}
{%- endmacro %}
