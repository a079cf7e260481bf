{#-
    A draw: a number in [0, 1) that depends on nothing but its arguments and the build's seed.
    52 bits of an md5 make an exact double on every engine.
    owner: SQL expression of what draws (an attempt_id, a slot_id, a claim_id)
    purpose: text literal that names the choice, so that two choices of one owner are independent
    key: SQL expression of the thing that is chosen or not
    Order by a draw with the key behind it, so that no tie is left to the engine.
-#}
{% macro draw(owner, purpose, key="''") -%}
    (
        ('0x' || left(md5(concat_ws(
            chr(31), '{{ setting("seed") }}', {{ owner }}, '{{ purpose }}', {{ key }}
        )), 13))::ubigint / 4503599627370496.0
    )
{%- endmacro %}


{#-
    Sort key of a weighted draw without replacement (Efraimidis and Spirakis, 2006): the smallest
    keys are the sample. Rounded, so that the last bit of a logarithm decides nothing.
-#}
{% macro weighted_draw(weight, owner, purpose, key) -%}
    round(-ln(1 - {{ draw(owner, purpose, key) }}) / {{ weight }}, 9)
{%- endmacro %}
