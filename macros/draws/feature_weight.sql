{#-
    Sampling weight of a graph feature: it grows with the number of records that have the feature,
    and is twice as high for a feature of two words or more, which says what is praised about a
    thing.
    features: the relation that has feature and record_count
-#}
{% macro feature_weight(features) -%}
    (ln(1 + {{ features }}.record_count) * if(contains({{ features }}.feature, ' '), 2, 1))
{%- endmacro %}
