select 'p-1' as photo_id, business_id as record_id, from {{ ref('stg_businesses') }} limit 1
