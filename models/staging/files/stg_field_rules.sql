-- One row per line of the collection's field catalogue (field_catalog.csv), checked and completed
-- by dagster_defs/inputs/field_catalog.py; no rows when the collection has none.
with final as (
    select
        field,
        tier,
        weight,
        operator,
        value,
        probability,
        phrase,
        negation,
        line_number,
    from read_json(
        getvariable('build')['input_fields'], format = 'newline_delimited',
        columns = {
            'field': 'varchar', 'tier': 'varchar', 'weight': 'double', 'operator': 'varchar',
            'value': 'varchar', 'probability': 'double', 'phrase': 'varchar',
            'negation': 'varchar', 'line_number': 'bigint'
        }
    )
)

select * from final
