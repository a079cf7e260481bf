{#-
    The words of a list that say something: all but articles, prepositions and the like. The writer
    keeps the same list (udfs/rules/writer/constraint.py).
    words: SQL expression of a list of words
-#}
{% macro content_words(words) -%}
    list_filter({{ words }}, lambda word: word not in (
        'a', 'an', 'and', 'at', 'by', 'for', 'in', 'is', 'it', 'its', 'of', 'on', 'our', 'the',
        'their', 'this', 'to', 'with'
    ))
{%- endmacro %}


{#-
    A LIKE pattern that a text matches when it holds every content word of an origin, in order. The
    text must be that of `spaced_words`. Null for an origin of one or two words, which is a bare
    noun.
    words: SQL expression of the origin's words
    gap: what may stand between two of them: '%' anything, '' nothing
-#}
{% macro whole_origin(words, gap='%') -%}
    if(
        len({{ words }}) > 2 and len({{ content_words(words) }}) > 0,
        '%' || list_aggregate(
            list_transform({{ content_words(words) }}, lambda word: ' ' || word || ' '),
            'string_agg', '{{ gap }}'
        ) || '%',
        null
    )
{%- endmacro %}


{#-
    The content words of a list as one text, each between spaces of its own.
    words: SQL expression of a list of words
-#}
{% macro spaced_words(words) -%}
    list_aggregate(
        list_transform({{ content_words(words) }}, lambda word: ' ' || word || ' '),
        'string_agg', ''
    )
{%- endmacro %}
