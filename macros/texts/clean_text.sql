{#-
    A text as it enters the warehouse: Unicode NFC, line ends as \n, no other control characters,
    no byte order mark, e-mail addresses masked, trimmed. HTML entities are text like any other.
-#}
{% macro clean_text(content) -%}
    {%- set lines = "regexp_replace(" ~ content ~ ", '\\r\\n?', chr(10), 'g')" -%}
    {%- set control = "'[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\x{feff}]'" -%}
    {%- set printed = "nfc_normalize(regexp_replace(" ~ lines ~ ", " ~ control ~ ", '', 'g'))" -%}
    trim({{ mask_emails(printed) }}, e' \t\n')
{%- endmacro %}


{#- A text with every string that looks like an e-mail address replaced. -#}
{% macro mask_emails(content) -%}
    if(
        contains({{ content }}, '@'),
        regexp_replace(
            {{ content }},
            '[\p{L}\p{N}][\p{L}\p{M}\p{N}._%+-]*@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+',
            '[e-mail]', 'g'
        ),
        {{ content }}
    )
{%- endmacro %}


{#-
    A text as a list of pieces that no passage cuts: its sentences and lines, of which those longer
    than `longest` bytes come in parts of 100 characters at most. The pieces in a row are the text. The mark is a control character, which no clean text holds.
-#}
{% macro sentence_pieces(content, longest) -%}
    flatten(list_transform(
        string_split(
            regexp_replace(
                {{ content }}, '([.!?…]+[''"”’)\]]*\s+|[。！？]+|\n+)', '\1' || chr(31), 'g'
            ),
            chr(31)
        ),
        lambda sentence: if(
            strlen(sentence) <= {{ longest }},
            [sentence], regexp_extract_all(sentence, '(?s).{1,99}(?:\s|$)|.{1,100}')
        )
    ))
{%- endmacro %}
