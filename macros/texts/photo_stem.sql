{#-
    The public name of a photo: its id where that is 8-128 URL-safe characters, else a hash of it.
    photo_id: SQL expression of the id
-#}
{% macro photo_stem(photo_id) -%}
    if(
        regexp_full_match({{ photo_id }}, '[A-Za-z0-9_-]{8,128}'),
        {{ photo_id }},
        left(sha256({{ photo_id }}), 32)
    )
{%- endmacro %}
