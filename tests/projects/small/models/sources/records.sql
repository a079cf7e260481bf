select
    business_id as record_id,
    'Café ' || business_id as name,
    'Oslo' as city,
    null::varchar as state,
    ['Cafés'] as categories,
    4.5 as stars,
from {{ ref('stg_businesses') }}
