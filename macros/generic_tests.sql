{#- Rows whose key repeats or is null in part. columns: the key's columns, in the table's order. -#}
{% test unique_key(model, columns) %}
    select {{ columns | join(', ') }}, count(*) as row_count
    from {{ model }}
    group by {{ columns | join(', ') }}
    having count(*) > 1{% for column in columns %} or {{ column }} is null{% endfor %}
{% endtest %}


{#- Rows in which one of the columns is null. -#}
{% test complete(model, columns) %}
    select *
    from {{ model }}
    where {% for column in columns %}{{ column }} is null{{ ' or ' if not loop.last }}{% endfor %}
{% endtest %}


{#- Rows outside [minimum, maximum]; nulls pass. -#}
{% test between(model, column_name, minimum, maximum) %}
    select {{ column_name }}
    from {{ model }}
    where {{ column_name }} < {{ minimum }} or {{ column_name }} > {{ maximum }}
{% endtest %}


{#- Rows whose columns have no partner in another model: a relationship over several columns. -#}
{% test matches(model, columns, to) %}
    select {{ columns | join(', ') }} from {{ model }}
    except
    select {{ columns | join(', ') }} from {{ to }}
{% endtest %}
