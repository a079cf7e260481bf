-- One row per record and relational field whose value is known. An unknown value has no row.
with businesses as (select * from {{ ref('stg_businesses') }}),

record_attributes as (select * from {{ ref('record_attributes') }}),

known_values as (
    select business_id as record_id, 'city' as field, city as value from businesses
    union all
    select business_id, 'state', state from businesses
    union all
    select business_id, 'stars', stars::varchar from businesses
    union all
    select business_id, 'is_open', is_open from businesses
    union all
    select record_id, field, value from record_attributes
),

final as (
    select
        record_id,
        field,
        value,
    from known_values
    where value is not null
)

select * from final
