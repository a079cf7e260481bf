{#-
    Whether a record's constraints make it a candidate. A constraint that is recovered as false
    keeps the record out in every mode: a union allows for unknown values, not for contradicted
    ones.
    none: every constraint is known to hold; all: known or recovered; any: one recovered constraint
    lets in, whatever stays unknown (the paper's union).
    recovery: one of the three, text; counts: relation with false_count, unknown_count and
    recovered_count of the record's constraints
-#}
{% macro is_candidate(recovery, counts) -%}
    {{ counts }}.false_count = 0
    {%- if recovery == 'none' %} and {{ counts }}.unknown_count + {{ counts }}.recovered_count = 0
    {%- elif recovery == 'all' %} and {{ counts }}.unknown_count = 0
    {%- elif recovery == 'any' %}
        and ({{ counts }}.unknown_count = 0 or {{ counts }}.recovered_count > 0)
    {%- else -%}
        {{ exceptions.raise_compiler_error(
            "recovery is '" ~ recovery ~ "': it can be all, any or none") }}
    {%- endif %}
{%- endmacro %}
