{#-
    Share of right values among a field's few, with some values of all fields (recovery_pooling)
    counted beside them: so four right values of four are not taken for a precision of 1.
    right, count: of the few; pooled: precision of all fields, null where there is none
-#}
{% macro pooled_precision(right, count, pooled) -%}
    round(
        ({{ right }} + {{ var('recovery_pooling') }} * {{ pooled }})
        / ({{ count }} + {{ var('recovery_pooling') }}), 4
    )
{%- endmacro %}
