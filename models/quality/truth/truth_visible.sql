-- One row per record and thing that can be seen there.
select
    business_id as record_id,
    thing_key,
    thing,
from read_json(
    getvariable('build')['truth_visible'], format = 'newline_delimited',
    columns = {'business_id': 'varchar', 'thing_key': 'varchar', 'thing': 'varchar'}
)
