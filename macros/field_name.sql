{#-
    The column name of an attribute key: snake case, digits inside a name set apart.
    WiFi -> wifi, RestaurantsPriceRange2 -> restaurants_price_range2, Open24Hours -> open_24_hours,
    BYOBCorkage -> byob_corkage, 'Horseback Riding' -> horseback_riding.
-#}
{% macro field_name(key) -%}
    trim(lower(regexp_replace(
        regexp_replace(
            regexp_replace(
                regexp_replace(
                    replace({{ key }}, 'WiFi', 'Wifi'),
                    '(\p{Ll})(\p{N}+)(\p{Lu})', '\1_\2_\3', 'g'
                ),
                '(\p{Lu}+)(\p{Lu}\p{Ll})', '\1_\2', 'g'
            ),
            '([\p{Ll}\p{N}])(\p{Lu})', '\1_\2', 'g'
        ),
        '[^\p{L}\p{N}]+', '_', 'g'
    )), '_')
{%- endmacro %}


{#- A Python dict literal as JSON text: {u'garage': False} -> {"garage": false}. -#}
{% macro python_dict_to_json(literal) -%}
    regexp_replace(
        regexp_replace(
            regexp_replace(
                regexp_replace({{ literal }}, 'u?''([^'']*)''', '"\1"', 'g'),
                ':\s*True\b', ': true', 'g'
            ),
            ':\s*False\b', ': false', 'g'
        ),
        ':\s*None\b', ': null', 'g'
    )
{%- endmacro %}


{#-
    One attribute leaf as a value: quotes and u-prefix off, lower case; Python's None is unknown
    (null), a quoted 'none' is a value (no alcohol).
-#}
{% macro leaf_value(raw) -%}
    case
        when trim({{ raw }}) in ('None', 'null', '') then null
        else nullif(lower(trim(regexp_replace(
            trim({{ raw }}), '^u?([''"])(.*)[''"]$', '\2'
        ))), '')
    end
{%- endmacro %}
