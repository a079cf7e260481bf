{#-
    Share of right ones among few, beside some of all fields' that make up for their small number
    (recovery_pooling): so four right ones of four are not taken for a precision of 1.
    right, count: of the few; pooled: precision of all fields, null where there is none
-#}
{% macro pooled_precision(right, count, pooled) -%}
    round(
        ({{ right }} + {{ var('recovery_pooling') }} * {{ pooled }})
        / ({{ count }} + {{ var('recovery_pooling') }}), 4
    )
{%- endmacro %}
