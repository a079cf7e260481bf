-- One row per record and constraint on one of its known fields that it meets and that may be drawn.
with record_fields as (select * from {{ ref('record_fields') }}),

field_catalog as (select * from {{ ref('field_catalog') }}),

value_rules as (select * from {{ ref('value_rules') }}),

value_ranks as (
    select
        field,
        value,
        count(*) as record_count,
        row_number() over (partition by field order by count(*) desc, value asc) as value_rank,
    from record_fields
    group by field, value
),

-- A rule with a value of its own, met by the record's value.
ruled as (
    select
        record_fields.record_id,
        record_fields.field,
        value_rules.operator,
        value_rules.value,
        value_rules.probability,
    from record_fields
    inner join value_rules on record_fields.field = value_rules.field
    where
        value_rules.value != '*'
        and {{ meets('record_fields.value', 'value_rules.operator', 'value_rules.value') }}
),

-- The record's own value: where a rule says any, and for fields without a rule.
own as (
    select
        record_fields.record_id,
        record_fields.field,
        '=' as operator,
        record_fields.value,
        1.0 as probability,
    from record_fields
    inner join value_ranks using (field, value)
    inner join field_catalog using (field)
    where
        value_ranks.value_rank <= 50
        -- A value of one record, or a long one, is free text and no property that others share.
        and value_ranks.record_count >= 2
        and length(record_fields.value) <= {{ var('value_max_chars') }}
        -- What is still a dict or a list is nothing that a question can say.
        and not regexp_matches(record_fields.value, '^[\[{]')
        and (
            field in (select field from value_rules where value = '*')
            or (
                field not in (select field from value_rules)
                and (field_catalog.kind != 'boolean' or record_fields.value = 'true')
            )
        )
),

options as (
    select * from ruled
    union all
    select * from own
),

final as (
    select
        options.record_id,
        options.field,
        options.operator,
        options.value,
        field_catalog.tier,
        field_catalog.weight,
        options.probability,
    from options
    inner join field_catalog using (field)
)

select * from final
