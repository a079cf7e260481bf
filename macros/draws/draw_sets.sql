{#-
    A query with one row per draw of constraints and block of records: the records that are known
    to meet all constraints, those that none of them contradicts, and which constraints exclude a
    record that the others leave possible. The model that calls it has the CTE `claim_sets`.
    draws: CTE with draw_id and claim_1 to claim_5: the first two may be categories, the last two
    null
-#}
{% macro draw_sets(draws) -%}
    select
        draw_id,
        block,
        met_12 & met_3 & met_45 as met,
        possible_12 & possible_345 as possible,
        -- Bit k - 1 is set when constraint k excludes a record.
        (possible_2 & possible_345 & ~met_1 != {{ no_records() }})::integer
        + 2 * (possible_1 & possible_345 & ~met_2 != {{ no_records() }})::integer
        + 4 * (possible_12 & possible_45 & ~met_3 != {{ no_records() }})::integer
        + if(
            claim_4 is null, 0,
            8 * (possible_123 & possible_5 & ~met_4 != {{ no_records() }})::integer
        )
        + if(
            claim_5 is null, 0,
            16 * (possible_123 & possible_4 & ~met_5 != {{ no_records() }})::integer
        ) as excluding,
    from (
        select
            *,
            met_1 & met_2 as met_12,
            met_4 & met_5 as met_45,
            possible_1 & possible_2 as possible_12,
            possible_1 & possible_2 & possible_3 as possible_123,
            possible_4 & possible_5 as possible_45,
            possible_3 & possible_4 & possible_5 as possible_345,
        from (
            select
                {{ draws }}.draw_id,
                {{ draws }}.claim_4,
                {{ draws }}.claim_5,
                set_3.block,
                {%- for number in range(1, 6) %}
                {%- for bits in ['met', 'possible'] %}
                coalesce(
                    set_{{ number }}.{{ bits }}, {{ '~' if number > 3 }}{{ no_records() }}
                ) as {{ bits }}_{{ number }},
                {%- endfor %}
                {%- endfor %}
            from {{ draws }}
            inner join claim_sets as set_3 on {{ draws }}.claim_3 = set_3.claim_id
            {%- for number in [1, 2, 4, 5] %}
            left join claim_sets as set_{{ number }}
                on
                    {{ draws }}.claim_{{ number }} = set_{{ number }}.claim_id
                    and set_3.block = set_{{ number }}.block
            {%- endfor %}
        ) as sets
    ) as pairs
{%- endmacro %}
