select 'a-' || row_number() over (order by business_id) as attempt_id, from {{ ref('stg_businesses') }}
