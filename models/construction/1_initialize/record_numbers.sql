-- One row per record: its block, and its place among the bits of the block. A set of records is
-- then one string of bits a block.
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
