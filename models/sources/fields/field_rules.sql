-- One row per field, operator and value that a question may state, with its probability and phrase.
-- The collection's own catalogue comes first, then the seeds, then what the values suggest.
with stg_field_rules as (select * from {{ ref('stg_field_rules') }}),

value_rules as (select * from {{ ref('value_rules') }}),

field_phrases as (select * from {{ ref('field_phrases') }}),

field_profiles as (select * from {{ ref('field_profiles') }}),

record_fields as (select * from {{ ref('record_fields') }}),

record_categories as (select * from {{ ref('record_categories') }}),

seed_rules as (
    select
        field,
        operator,
        value,
        probability,
        'seed' as origin,
    from value_rules
    where field not in (select field from stg_field_rules where value is not null)
),

stated_rules as (
    select
        field,
        operator,
        value,
        probability,
        'catalogue' as origin,
    from stg_field_rules
    where value is not null
    union all
    select * from seed_rules
),

-- True is asked of a boolean, any shared value of a category, a lower bound of a number.
suggested_rules as (
    select
        field,
        if(kind = 'number', '>=', '=') as operator,
        if(kind = 'boolean', 'true', '*') as value,
        1.0 as probability,
        'values' as origin,
    from field_profiles
    where
        kind != 'text'
        and not regexp_matches(field, '^unnamed(__\d+)?$')
        and field not in (select field from stated_rules)
),

rules as (
    select * from stated_rules
    where field = 'categories' or field in (select field from field_profiles)
    union all
    select * from suggested_rules
),

-- What `*` stands for: with = the most frequent values that records share, with contains every
-- category, with >= and <= the quartiles that set some records apart.
shared_values as (
    select
        field,
        value,
    from record_fields
    group by field, value
    -- A value of one record, or a long one, is free text and no property that others share.
    having
        count(*) >= 2 and length(value) <= {{ var('value_max_chars') }}
        and not regexp_matches(value, '^[\[{]')
),

value_counts as (
    select
        field,
        value,
        count(*) as record_count,
    from record_fields
    group by field, value
    qualify row_number() over (partition by field order by count(*) desc, value asc) <= 50
),

quartiles as (
    select
        field,
        unnest(list_distinct(
            quantile_disc(try_cast(value as double), [0.25, 0.5, 0.75])
        )) as bound,
        min(try_cast(value as double)) as lowest,
        max(try_cast(value as double)) as highest,
    from record_fields
    where field in (select field from rules where value = '*' and operator in ('>=', '<='))
    group by field
),

any_values as (
    select
        field,
        '=' as operator,
        value,
    from value_counts
    inner join shared_values using (field, value)
    union all
    select distinct
        'categories' as field,
        'contains' as operator,
        category as value,
    from record_categories
    union all
    select
        field,
        unnest(['>=', '<=']) as operator,
        regexp_replace(bound::varchar, '\.0$', '') as value,
    from quartiles
    where lowest < bound and bound < highest
),

expanded_rules as (
    select * from rules
    where value != '*'
    union all
    select
        rules.field,
        rules.operator,
        any_values.value,
        rules.probability,
        rules.origin,
    from rules
    inner join any_values using (field, operator)
    where rules.value = '*'
),

distinct_rules as (
    select *
    from expanded_rules
    qualify row_number() over (
        partition by field, operator, value order by probability desc
    ) = 1
),

wordings as (
    select
        field,
        operator,
        value,
        phrase,
        negation,
        1 as source_rank,
    from stg_field_rules
    where phrase is not null
    union all
    select
        field,
        operator,
        value,
        phrase,
        negation,
        2 as source_rank,
    from field_phrases
),

-- The closest wording wins: one for the value, then one for any value of the field.
worded_rules as (
    select
        distinct_rules.*,
        wordings.phrase,
        wordings.negation,
    from distinct_rules
    left join wordings
        on
            distinct_rules.field = wordings.field
            and distinct_rules.operator = wordings.operator
            and wordings.value in (distinct_rules.value, '*')
    qualify row_number() over (
        partition by distinct_rules.field, distinct_rules.operator, distinct_rules.value
        order by wordings.source_rank, wordings.value = '*', wordings.phrase
    ) = 1
),

suggested_wordings as (
    select
        worded_rules.*,
        field_profiles.attribute_key,
        if(
            worded_rules.phrase is null,
            phrase_field(
                worded_rules.field, coalesce(field_profiles.parent, ''), worded_rules.operator,
                worded_rules.value
            ),
            null
        ) as suggested,
        -- The words of an attribute's value, such as beer_and_wine; a city is called what it is.
        if(
            field_profiles.attribute_key is null, worded_rules.value,
            replace(worded_rules.value, '_', ' ')
        ) as value_words,
    from worded_rules
    left join field_profiles on worded_rules.field = field_profiles.field
),

final as (
    select
        field,
        operator,
        value,
        probability,
        coalesce(replace(phrase, '{value}', value_words), suggested.phrase) as phrase,
        coalesce(replace(negation, '{value}', value_words), suggested.negation) as negation,
        origin,
    from suggested_wordings
)

select * from final
