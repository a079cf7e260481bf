{#- Whether a JSON value can be an id: a string that is not blank, or a whole number. -#}
{% macro is_id(value) -%}
    coalesce(
        json_type({{ value }}) in ('VARCHAR', 'UBIGINT', 'BIGINT')
        and trim({{ value }} ->> '$') != '',
        false
    )
{%- endmacro %}
