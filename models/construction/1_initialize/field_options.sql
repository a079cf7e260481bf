-- One row per record and constraint that the record meets and that may be drawn: on its categories
-- and on its known fields. A constraint that more than max_share of the records meet excludes too
-- few records to be asked.
with records as (select * from {{ ref('records') }}),

record_fields as (select * from {{ ref('record_fields') }}),

record_categories as (select * from {{ ref('record_categories') }}),

field_catalog as (select * from {{ ref('field_catalog') }}),

field_rules as (select * from {{ ref('field_rules') }}),

field_values as (
    select
        record_fields.record_id,
        field_rules.field,
        field_rules.operator,
        field_rules.value,
        field_rules.probability,
    from record_fields
    inner join field_rules on record_fields.field = field_rules.field
    where {{ meets('record_fields.value', 'field_rules.operator', 'field_rules.value') }}
),

category_values as (
    select
        record_categories.record_id,
        field_rules.field,
        field_rules.operator,
        field_rules.value,
        field_rules.probability,
    from record_categories
    inner join field_rules
        on field_rules.field = 'categories' and record_categories.category = field_rules.value
),

options as (
    select * from field_values
    union all
    select * from category_values
),

option_counts as (
    select
        field,
        operator,
        value,
        count(*) as record_count,
        count(*) > {{ var('max_share') }} * (select count(*) from records) as is_wide,
    from options
    group by field, operator, value
),

field_choices as (
    select
        field_values.*,
        field_catalog.tier,
        field_catalog.weight,
        false as is_wide,
    from field_values
    inner join option_counts using (field, operator, value)
    inner join field_catalog on field_values.field = field_catalog.field
    where not option_counts.is_wide
),

-- Wide categories are likelier, so that a question is about many records and not about one. A
-- record that has none but such as nearly all have is called by those.
category_choices as (
    select
        category_values.* exclude (probability),
        category_values.probability * ln(1 + option_counts.record_count) as probability,
        'category' as tier,
        1.0 as weight,
        option_counts.is_wide,
    from category_values
    inner join option_counts using (field, operator, value)
    qualify
        not option_counts.is_wide
        or bool_and(option_counts.is_wide) over (partition by category_values.record_id)
),

choices as (
    select * from field_choices
    union all by name
    select * from category_choices
),

final as (
    select
        record_id,
        field,
        operator,
        value,
        tier,
        weight,
        probability,
        is_wide,
    from choices
)

select * from final
