{#-
    A Python literal as JSON text: {u'garage': False, "it's": None} -> {"garage": false, "it's": null}.
    A text that is no literal of dicts, lists, tuples, strings, numbers, True, False and None
    becomes a text that is no JSON.
-#}
{% macro python_literal_to_json(literal) -%}
    array_to_string(
        list_transform(
            -- A string, a bracket, a word; a lone quote is kept, so that broken text stays broken.
            regexp_extract_all(
                {{ literal }},
                '(?s)[uUbB]?''(?:[^''\\]|\\.)*''|[uUbB]?"(?:[^"\\]|\\.)*"|[{}\[\](),:]'
                || '|[^{}\[\](),:''"\s]+|[''"]'
            ),
            lambda token: case token
                when 'True' then 'true'
                when 'False' then 'false'
                when 'None' then 'null'
                when '(' then '['
                when ')' then ']'
                else if(
                    length(token) > 1 and regexp_matches(token, '[''"]$'),
                    {{ python_string_to_json('token') }}, token
                )
            end
        ),
        ' '
    )
{%- endmacro %}


{#- One string literal of Python, u-prefix or not, as a JSON string: u'caf\xe9' -> "caf\u00e9". -#}
{% macro python_string_to_json(token) -%}
    '"' || array_to_string(
        list_transform(
            regexp_extract_all(
                regexp_extract({{ token }}, '(?s)^[uUbB]?[''"](.*)[''"]$', 1),
                '(?s)\\x[0-9a-fA-F]{2}|\\U[0-9a-fA-F]{8}|\\.|[^\\]+'
            ),
            lambda part: case
                when part[1] != '\' then (to_json(part)::varchar)[2:-2]
                when part[2] = 'x' and length(part) = 4 then '\u00' || part[3:]
                when part[2] = 'U' and length(part) = 10
                    then chr(coalesce(try_cast('0x' || part[3:] as integer), 65533))
                when part[2] = '''' then ''''
                when part[2] = chr(10) then ''
                when part[2] in ('"', '\', 'n', 't', 'r', 'b', 'f', 'u') then part
                else '\' || part
            end
        ),
        ''
    ) || '"'
{%- endmacro %}


{#-
    One attribute leaf as a value: one line, lower case, quotes and u-prefix off, 2.0 as 2; Python's
    None is unknown (null), a quoted 'none' is a value (no alcohol).
-#}
{% macro leaf_value(raw) -%}
    case
        when trim({{ raw }}) in ('None', 'null', '', '{}', '[]') then null
        else nullif(lower(nfc_normalize({{ one_line(
            "regexp_replace(" ~ unquoted(raw) ~ ", '^(-?[0-9]+)\\.0+$', '\\1')"
        ) }})), '')
    end
{%- endmacro %}


{#- A text without the quotes of the string literal that it is; any other text as it is. -#}
{% macro unquoted(raw) -%}
    coalesce(
        if(
            regexp_matches(
                trim({{ raw }}),
                '(?s)^[uUbB]?(?:''(?:[^''\\]|\\.)*''|"(?:[^"\\]|\\.)*")$'
            ),
            try_cast({{ python_string_to_json("trim(" ~ raw ~ ")") }} as json) ->> '$',
            null
        ),
        {{ raw }}
    )
{%- endmacro %}


{#- The dict that a text can be read as, JSON or Python's literal, as JSON; null when it is none. -#}
{% macro dictionary(raw) -%}
    case
        when not starts_with(trim({{ raw }}), '{') then null
        when json_valid({{ raw }}) then json({{ raw }})
        -- json() leaves out the commas at the end, which Python allows.
        else json(try_cast({{ python_literal_to_json(raw) }} as json))
    end
{%- endmacro %}


{#-
    The members of a JSON object as a list of (key, value); of a repeated key the first counts.
    A map is ten times faster than json_each, and refuses repeated keys.
-#}
{% macro json_members(object) -%}
    if(
        len(json_keys({{ object }})) = len(list_distinct(json_keys({{ object }}))),
        map_entries({{ object }}::map(varchar, json)),
        list_transform(
            list_distinct(json_keys({{ object }})),
            lambda name: struct_pack(
                key := name,
                value := json_extract(
                    {{ object }}, '/' || replace(replace(name, '~', '~0'), '/', '~1')
                )
            )
        )
    )
{%- endmacro %}
