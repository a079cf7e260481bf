-- One row per constraint that may be drawn and block of records: the records that are known to meet
-- the constraint, and the records that may meet it, because they do or their value is unknown, as
-- bits by record_numbers.place. A category has rows only for blocks with a member of it.
with field_options as (select * from {{ ref('field_options') }}),

record_numbers as (select * from {{ ref('record_numbers') }}),

record_categories as (select * from {{ ref('record_categories') }}),

record_fields as (select * from {{ ref('record_fields') }}),

claims as (
    select distinct
        field,
        operator,
        value,
    from field_options
),

category_sets as (
    select
        'categories' as field,
        'contains' as operator,
        record_categories.category as value,
        record_numbers.block,
        {{ record_bits('record_numbers.place') }} as met,
        met as possible,
    from record_categories
    inner join record_numbers using (record_id)
    group by record_categories.category, record_numbers.block
),

value_sets as (
    select
        record_fields.field,
        record_fields.value,
        record_numbers.block,
        {{ record_bits('record_numbers.place') }} as having_value,
    from record_fields
    inner join record_numbers using (record_id)
    where record_fields.field in (select field from claims)
    group by record_fields.field, record_fields.value, record_numbers.block
),

known_sets as (
    select
        field,
        block,
        bit_or(having_value) as known,
    from value_sets
    group by field, block
),

met_sets as (
    select
        claims.field,
        claims.operator,
        claims.value,
        value_sets.block,
        bit_or(value_sets.having_value) as met,
    from claims
    inner join value_sets on claims.field = value_sets.field
    where {{ meets('value_sets.value', 'claims.operator', 'claims.value') }}
    group by claims.field, claims.operator, claims.value, value_sets.block
),

blocks as (
    select
        block,
        {{ record_bits('place') }} as everyone,
    from record_numbers
    group by block
),

field_sets as (
    select
        claims.field,
        claims.operator,
        claims.value,
        blocks.block,
        coalesce(met_sets.met, {{ no_records() }}) as met,
        coalesce(met_sets.met, {{ no_records() }})
        | (blocks.everyone & ~coalesce(known_sets.known, {{ no_records() }})) as possible,
    from claims
    cross join blocks
    left join met_sets using (field, operator, value, block)
    left join known_sets on claims.field = known_sets.field and blocks.block = known_sets.block
    where claims.field != 'categories'
),

sets as (
    select * from category_sets
    union all
    select * from field_sets
),

final as (
    select
        {{ claim_key('field', 'operator', 'value') }} as claim_id,
        block,
        met,
        possible,
    from sets
)

select * from final
