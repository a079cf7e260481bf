{#-
    Cosine similarity of two stored vectors (unit length, float16 values), to 4 decimals. Products of
    float16 values are exact in a double, so no order of summation changes the answer.
-#}
{% macro similarity(a, b) -%}
    round(list_inner_product({{ a }}::double[], {{ b }}::double[]), 4)
{%- endmacro %}
