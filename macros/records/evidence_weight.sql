{#-
    How much a confidence counts as evidence: its log odds above those of no confidence at all. Both
    ends are moved in by 0.03, for every judge is sometimes wrong: a confidence of 0 weighs 0, one of
    a half 3.54, and one of 1 weighs 7.07 where plain log odds would be infinite.
-#}
{% macro evidence_weight(confidence) -%}
    round(ln(({{ confidence }} + 0.03) / (1.03 - {{ confidence }})) - ln(0.03 / 1.03), 4)
{%- endmacro %}
