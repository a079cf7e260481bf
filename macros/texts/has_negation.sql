{#-
    Whether an English sentence holds a word that denies something: "no", "isn't", "without".
    sentence: SQL expression of the sentence
    negations: SQL expression of the list of such words, from the seed of that name
-#}
{% macro has_negation(sentence, negations) -%}
    {%- set plain = "lower(replace(" ~ sentence ~ ", '’', ''''))" -%}
    (
        list_has_any(regexp_extract_all({{ plain }}, '\w+'), {{ negations }})
        or regexp_matches({{ plain }}, 'n''t\b')
    )
{%- endmacro %}
