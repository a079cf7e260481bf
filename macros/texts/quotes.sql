{#-
    The words of a list that say something: all but articles, prepositions and the like.
    words: SQL expression of a list of words
    small_words: SQL expression of the list of the words to leave out, from the seed of that name
-#}
{% macro content_words(words, small_words) -%}
    list_filter({{ words }}, lambda word: not list_contains({{ small_words }}, word))
{%- endmacro %}


{#-
    A LIKE pattern that a text matches when it holds every content word of an origin, in order. The
    text must be that of `spaced_words`. Null for an origin of one or two words, which is a bare
    noun.
    words: SQL expression of the origin's words
    small_words: SQL expression of the list of words that do not count
    gap: what may stand between two of them: '%' anything, '' nothing
-#}
{% macro whole_origin(words, small_words, gap='%') -%}
    if(
        len({{ words }}) > 2 and len({{ content_words(words, small_words) }}) > 0,
        '%' || list_aggregate(
            list_transform({{ content_words(words, small_words) }}, lambda word: ' ' || word || ' '),
            'string_agg', '{{ gap }}'
        ) || '%',
        null
    )
{%- endmacro %}


{#-
    The content words of a list as one text, each between spaces of its own.
    words: SQL expression of a list of words
    small_words: SQL expression of the list of words that do not count
-#}
{% macro spaced_words(words, small_words) -%}
    list_aggregate(
        list_transform({{ content_words(words, small_words) }}, lambda word: ' ' || word || ' '),
        'string_agg', ''
    )
{%- endmacro %}
