{#-
    What the ledger knows of the answers in the tables of resumable models. The loop only lists the
    tables: they all end in the same columns. No database is named: a view keeps working in the
    published file, which has another name.
-#}
{% macro responses(relations) -%}
    {%- for relation in relations %}
    select
        '{{ relation.schema }}.{{ relation.identifier }}' as step,
        request_key,
        role,
        model,
        prompt_version,
        input_tokens,
        output_tokens,
        latency_ms,
        cost,
        attempts,
        error,
    from {{ relation.include(database=false) }}
    {{ 'union all' if not loop.last }}
    {%- endfor %}
{%- endmacro %}
