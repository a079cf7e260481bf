-- One row per record and relational field whose value is known. An unknown value has no row.
with stg_records as (
    select * rename (business_id as record_id) from {{ ref('stg_businesses') }}
),

record_attributes as (select * from {{ ref('record_attributes') }}),

known_values as (
    select record_id, 'city' as field, city as value from stg_records
    union all
    select record_id, 'state', state from stg_records
    union all
    select record_id, 'stars', stars::varchar from stg_records
    union all
    select record_id, 'is_open', is_open from stg_records
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
