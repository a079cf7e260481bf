-- One row per record with all its relational fields; one column an attribute leaf, null = unknown.
with stg_records as (
    select * rename (business_id as record_id) from {{ ref('stg_businesses') }}
),

record_attributes as (select * from {{ ref('record_attributes') }}),

leaves as (select record_id, field, value from record_attributes),

wide as (pivot leaves on field using any_value(value) group by record_id),

final as (
    select
        stg_records.record_id,
        stg_records.name,
        stg_records.address,
        stg_records.city,
        stg_records.state,
        stg_records.postal_code,
        stg_records.latitude,
        stg_records.longitude,
        stg_records.stars,
        stg_records.review_count,
        stg_records.is_open,
        coalesce(stg_records.categories, []) as categories,
        wide.* exclude (record_id),
    from stg_records
    left join wide on stg_records.record_id = wide.record_id
)

select * from final
