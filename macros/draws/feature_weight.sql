{#-
    Sampling weight of a graph feature: common ones are likelier, and those of two words or more, which
    say what is praised about a thing, twice as likely as a bare thing.
    features: the relation that has feature and record_count
-#}
{% macro feature_weight(features) -%}
    (ln(1 + {{ features }}.record_count) * if(contains({{ features }}.feature, ' '), 2, 1))
{%- endmacro %}
