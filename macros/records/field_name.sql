{#-
    The column name of an attribute key: snake case, digits inside a name set apart, letters and
    digits of any script kept. A key without any is `unnamed`.
    WiFi -> wifi, RestaurantsPriceRange2 -> restaurants_price_range2, Open24Hours -> open_24_hours,
    BYOBCorkage -> byob_corkage, Ambience.casual -> ambience_casual.
-#}
{% macro field_name(key) -%}
    coalesce(nullif(left(trim(lower(regexp_replace(
        regexp_replace(
            regexp_replace(
                regexp_replace(
                    replace(nfc_normalize({{ key }}), 'WiFi', 'Wifi'),
                    '(\p{Ll})(\p{N}+)(\p{Lu})', '\1_\2_\3', 'g'
                ),
                '(\p{Lu}+)(\p{Lu}\p{Ll})', '\1_\2', 'g'
            ),
            '([\p{Ll}\p{N}])(\p{Lu})', '\1_\2', 'g'
        ),
        '[^\p{L}\p{M}\p{N}]+', '_', 'g'
    )), '_'), {{ var('name_max_chars') }}), ''), if({{ key }} is null, null, 'unnamed'))
{%- endmacro %}
