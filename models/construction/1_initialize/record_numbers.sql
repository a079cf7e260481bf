-- One row per record: its place among the bits of a block, so that sets of records are bits.
with records as (select * from {{ ref('records') }}),

numbered as (
    select
        record_id,
        row_number() over (order by record_id) - 1 as record_number,
    from records
),

final as (
    select
        record_id,
        record_number // {{ var('block_records') }} as block,
        (record_number % {{ var('block_records') }})::integer as place,
    from numbered
)

select * from final
