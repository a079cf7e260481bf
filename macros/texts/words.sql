{#-
    The words of a text as a list, in order, lower case: runs of letters, marks and digits of any
    script. Han, Hiragana and Katakana have no spaces, so each of their characters is a word.
    content: SQL expression of the text
-#}
{% macro words(content) -%}
    regexp_extract_all(
        regexp_replace(
            lower(nfc_normalize({{ content }})),
            '([\p{Han}\p{Hiragana}\p{Katakana}])', ' \1 ', 'g'
        ),
        '[\p{L}\p{M}\p{N}]+'
    )
{%- endmacro %}
