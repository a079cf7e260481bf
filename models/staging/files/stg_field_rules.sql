-- One row per line of the collection's field catalogue (field_catalog.csv), completed; fault says
-- why a line cannot be used. No rows when the collection has none.
with lines as (
    select *
    from {{ csv_lines(
        'fields', columns=[
            'field', 'tier', 'weight', 'operator', 'value', 'probability', 'phrase', 'negation'
        ], needed=['field']
    ) }}
),

stated as (
    select
        * exclude (value),
        coalesce(operator, if(field = 'categories', 'contains', '=')) as compared_by,
        -- Values of attributes are kept in lower case (macros/records/literals.sql).
        if(field in ('categories', 'city', 'state'), value, lower(value)) as stated_value,
        try_cast(weight as double) as weight_number,
        try_cast(probability as double) as probability_number,
    from lines
),

-- A phrase or a bound alone is about any value, or about true.
valued as (
    select
        *,
        case
            when stated_value is not null then stated_value
            when compared_by in ('>=', '<=') or contains(phrase, '{value}') then '*'
            when phrase is not null then 'true'
        end as value,
    from stated
),

judged as (
    select
        * exclude (fault),
        case
            when fault is not null then fault
            when field is null then 'has no field'
            when field = '*' then if(
                phrase is null, 'has no phrase: the field * wants the word for a record', null
            )
            when field != lower(field) or regexp_matches(field, '[\s.-]')
                then format('''{}'' is no field; write it as sources.field_catalog does: ', field)
                || 'like_this'
            when tier not in ('core', 'high_value', 'supplementary')
                then format('the tier ''{}'' is none of core, high_value, supplementary', tier)
            when compared_by not in ('=', '>=', '<=', 'contains')
                then format('the operator ''{}'' is none of = >= <= contains', compared_by)
            when
                compared_by in ('>=', '<=') and value != '*'
                and not coalesce(isfinite(try_cast(value as double)), false)
                then format('''{}'' is not a number, as {} needs', value, compared_by)
            {%- for name in ['phrase', 'negation'] %}
            when
                not regexp_matches({{ name }}, '^(can|cannot|\pL+s)([^\pL\pN_]|$)')
                or regexp_matches({{ name }}, '[.?!]$')
                then 'the {{ name }} ''' || {{ name }} || ''' has to complete "a place that ...", '
                || 'such as ''has a pool'' or ''is at least {value} km long'''
            when regexp_matches(replace({{ name }}, '{value}', ''), '[{}]')
                then 'the {{ name }} ''' || {{ name }} || ''' may hold {value} and no other braces'
            when value = '*' and not contains({{ name }}, '{value}')
                then 'the {{ name }} ''' || {{ name }} || ''' is for any value and lacks {value}'
            {%- endfor %}
            when negation is not null and phrase is null
                then 'has a negation and no phrase; give both'
            when
                weight is not null
                and not coalesce(weight_number > 0 and isfinite(weight_number), false)
                then format('the weight ''{}'' is not a number above 0', weight)
            when
                probability is not null
                and not coalesce(probability_number > 0 and probability_number <= 1, false)
                then format(
                    'the probability ''{}'' is not a number above 0 and at most 1', probability
                )
        end as fault,
    from valued
),

-- A line for the field `*` gives the word for a record, and nothing else.
final as (
    select
        file,
        line_number,
        field,
        if(field = '*', null, tier) as tier,
        if(field = '*', null, weight_number) as weight,
        if(field = '*' or value is null, null, compared_by) as operator,
        if(field = '*', null, value) as value,
        if(field = '*' or value is null, null, coalesce(probability_number, 1)) as probability,
        phrase,
        -- No coalesce: DuckDB 1.5 frees the text of a Python function before coalesce copies it.
        case
            when field = '*' then null
            when negation is null then negate_phrase(phrase)
            else negation
        end as negation,
        fault,
    from judged
)

select * from final
