-- One row per line of the business file.
select line ->> 'business_id' as business_id,
from read_csv(
    '{{ env_var("HETERQA_DATA") }}/yelp_academic_dataset_business.json',
    columns = {'line': 'json'}, auto_detect = false, header = false, delim = '\x01', quote = '',
    escape = ''
)
