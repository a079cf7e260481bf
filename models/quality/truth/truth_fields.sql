-- One row per record and field of a collection with planted truth: the true value, shown or not.
select
    business_id as record_id,
    field,
    value,
from read_json(
    getvariable('build')['truth_fields'], format = 'newline_delimited',
    columns = {'business_id': 'varchar', 'field': 'varchar', 'value': 'varchar'}
)
