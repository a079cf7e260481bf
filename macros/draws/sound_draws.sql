{#-
    A query with one row per draw of constraints: whether each of them excludes a record that the
    others leave possible. The model that calls it has the CTE `claim_sets`. A column a constraint:
    over rows, a constraint a row, the same takes 1.4 to 1.9 times as long.
    draws: CTE with draw_id, claim_1 to claim_5, is_wide_1 and is_wide_2; the first two constraints
    may be categories, the last two null
-#}
{% macro sound_draws(draws) -%}
    select
        draw_id,
        -- A category that nearly all records have is the word for them, and need not exclude any.
        (any_value(is_wide_1) or bool_or(possible_2 & possible_345 & ~met_1 != {{ no_records() }}))
        and (
            any_value(is_wide_2)
            or bool_or(possible_1 & possible_345 & ~met_2 != {{ no_records() }})
        )
        and bool_or(possible_12 & possible_45 & ~met_3 != {{ no_records() }})
        and (
            any_value(claim_4) is null
            or bool_or(possible_123 & possible_5 & ~met_4 != {{ no_records() }})
        )
        and (
            any_value(claim_5) is null
            or bool_or(possible_123 & possible_4 & ~met_5 != {{ no_records() }})
        ) as is_sound,
    from (
        select
            *,
            possible_1 & possible_2 as possible_12,
            possible_1 & possible_2 & possible_3 as possible_123,
            possible_4 & possible_5 as possible_45,
            possible_3 & possible_4 & possible_5 as possible_345,
        from (
            select
                {{ draws }}.*,
                -- A category has no set in a block without a member.
                coalesce(set_1.met, {{ no_records() }}) as met_1,
                coalesce(set_1.possible, {{ no_records() }}) as possible_1,
                coalesce(set_2.met, {{ no_records() }}) as met_2,
                coalesce(set_2.possible, {{ no_records() }}) as possible_2,
                set_3.met as met_3,
                set_3.possible as possible_3,
                -- No constraint leaves everything possible.
                coalesce(set_4.met, ~{{ no_records() }}) as met_4,
                coalesce(set_4.possible, ~{{ no_records() }}) as possible_4,
                coalesce(set_5.met, ~{{ no_records() }}) as met_5,
                coalesce(set_5.possible, ~{{ no_records() }}) as possible_5,
            from {{ draws }}
            inner join claim_sets as set_3 on {{ draws }}.claim_3 = set_3.claim_id
            left join claim_sets as set_1
                on {{ draws }}.claim_1 = set_1.claim_id and set_3.block = set_1.block
            left join claim_sets as set_2
                on {{ draws }}.claim_2 = set_2.claim_id and set_3.block = set_2.block
            left join claim_sets as set_4
                on {{ draws }}.claim_4 = set_4.claim_id and set_3.block = set_4.block
            left join claim_sets as set_5
                on {{ draws }}.claim_5 = set_5.claim_id and set_3.block = set_5.block
        ) as sets
    ) as joined_sets
    group by draw_id
{%- endmacro %}
