-- One row per record and constraint on one of its known fields that it meets and that may be drawn.
with record_fields as (select * from {{ ref('record_fields') }}),

field_catalog as (select * from {{ ref('field_catalog') }}),

field_rules as (select * from {{ ref('field_rules') }}),

final as (
    select
        record_fields.record_id,
        field_rules.field,
        field_rules.operator,
        field_rules.value,
        field_catalog.tier,
        field_catalog.weight,
        field_rules.probability,
    from record_fields
    inner join field_rules on record_fields.field = field_rules.field
    inner join field_catalog on record_fields.field = field_catalog.field
    where {{ meets('record_fields.value', 'field_rules.operator', 'field_rules.value') }}
)

select * from final
