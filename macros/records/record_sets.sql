{#- Aggregate: the records of one block as bits. place: record_numbers.place. -#}
{% macro record_bits(place) -%}
    bitstring_agg({{ place }}, 0, {{ var('block_records') - 1 }})
{%- endmacro %}


{#- A block of which no record is in the set. -#}
{% macro no_records() -%}
    bitstring('0', {{ var('block_records') }})
{%- endmacro %}


{#- The claim_id of a constraint: the same in every attempt that draws the constraint. -#}
{% macro claim_key(field, operator, value) -%}
    left(md5(to_json([{{ field }}, {{ operator }}, {{ value }}])::varchar), 16)
{%- endmacro %}


{#-
    A query with one row per owner and record of its sets, at a cost that grows with them alone.
    sets: CTE with owner, block and the bits
    owner, bits: names of its columns
-#}
{% macro records_of(sets, owner, bits) -%}
    select
        places.{{ owner }},
        record_numbers.record_id,
        record_numbers.block,
        record_numbers.place,
    from (
        -- The text of the bits is cut at each 1: the lengths of the pieces give the places of the
        -- 1s.
        select
            {{ owner }},
            block,
            (sum(gap) over (partition by {{ owner }}, block order by number) - 1)::integer as place,
        from (
            select
                {{ owner }},
                block,
                unnest(gaps) as gap,
                generate_subscripts(gaps, 1) as number,
            from (
                select
                    {{ owner }},
                    block,
                    list_transform(
                        string_split({{ bits }}::varchar, '1'), lambda zeros: length(zeros) + 1
                    ) as gaps,
                from {{ sets }}
                where {{ bits }} != {{ no_records() }}
            ) as split_sets
        ) as gaps
    ) as places
    inner join record_numbers using (block, place)
{%- endmacro %}
