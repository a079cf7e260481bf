{#-
    How much a confidence weighs: its log odds, 0 for a confidence of 0. A confidence of 1 weighs
    7 and not infinitely much, because every judge is wrong at times.
-#}
{% macro evidence_weight(confidence) -%}
    round(ln(({{ confidence }} + 0.03) / (1.03 - {{ confidence }})) - ln(0.03 / 1.03), 4)
{%- endmacro %}
