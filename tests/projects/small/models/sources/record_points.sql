select
    business_id as record_id,
    'POINT (10.75 59.9)'::geometry as geometry,
from {{ ref('stg_businesses') }}
