{#- Whether a known value meets a constraint; numbers are compared as numbers. -#}
{% macro meets(value, operator, wanted) -%}
    case {{ operator }}
        when '=' then {{ value }} = {{ wanted }}
        when '>=' then try_cast({{ value }} as double) >= try_cast({{ wanted }} as double)
        when '<=' then try_cast({{ value }} as double) <= try_cast({{ wanted }} as double)
    end
{%- endmacro %}
