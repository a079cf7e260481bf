{#- The thing that a feature is about: 'staff' of 'friendly staff'. feature: SQL expression. -#}
{% macro last_word(feature) -%}
    regexp_extract({{ feature }}, '\S+$')
{%- endmacro %}
