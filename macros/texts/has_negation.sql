{#- Whether an English sentence holds a word that denies something: "no", "isn't", "without". -#}
{% macro has_negation(sentence) -%}
    regexp_matches(
        lower(replace({{ sentence }}, '’', '''')),
        '\b(no|not|never|none|nothing|nowhere|without|cannot|lacks?|lacking|only)\b|n''t\b'
    )
{%- endmacro %}
