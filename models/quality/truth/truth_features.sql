-- One row per record and planted feature, with its polarity.
select
    business_id as record_id,
    feature_key,
    feature,
    polarity,
from read_json(
    getvariable('build')['truth_features'], format = 'newline_delimited',
    columns = {
        'business_id': 'varchar', 'feature_key': 'varchar', 'feature': 'varchar',
        'polarity': 'varchar'
    }
)
