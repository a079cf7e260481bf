-- One row per record with all its relational fields; one column an attribute leaf, null = unknown.
with businesses as (select * from {{ ref('stg_businesses') }}),

record_attributes as (select * from {{ ref('record_attributes') }}),

leaves as (select record_id, field, value from record_attributes),

wide as (pivot leaves on field using any_value(value) group by record_id),

final as (
    select
        businesses.business_id as record_id,
        businesses.name,
        businesses.address,
        businesses.city,
        businesses.state,
        businesses.postal_code,
        businesses.latitude,
        businesses.longitude,
        businesses.stars,
        businesses.review_count,
        businesses.is_open,
        coalesce(businesses.categories, []) as categories,
        wide.* exclude (record_id),
    from businesses
    left join wide on businesses.business_id = wide.record_id
)

select * from final
