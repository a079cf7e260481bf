-- One row per sentence of a text or caption and planted fact that it is about.
-- asserted: the sentence says that the fact holds; is_true: what it says agrees with the truth.
select
    source,
    business_id as record_id,
    sentence,
    kind,
    key,
    asserted,
    is_true,
from read_json(
    getvariable('build')['truth_sentences'], format = 'newline_delimited',
    columns = {
        'source': 'varchar', 'business_id': 'varchar', 'user_id': 'varchar', 'row_key': 'varchar',
        'sentence_index': 'integer', 'sentence': 'varchar', 'kind': 'varchar', 'key': 'varchar',
        'asserted': 'boolean', 'is_true': 'boolean'
    }
)
where kind != 'filler'
