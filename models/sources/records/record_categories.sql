-- One row per record and category label.
with records as (select * from {{ ref('records') }}),

final as (
    select distinct
        record_id,
        unnest(categories) as category,
    from records
)

select * from final
