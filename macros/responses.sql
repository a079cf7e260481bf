{#-
    What the ledger knows of the answers in the tables of resumable models. The loop only lists the
    tables: they all end in the same columns.
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
    from {{ relation }}
    {{ 'union all' if not loop.last }}
    {%- endfor %}
{%- endmacro %}
