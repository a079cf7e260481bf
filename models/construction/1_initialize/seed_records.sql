-- One row per subset and record that an attempt of the subset may start from, numbered from 0:
-- it has a category, a Core field, another field, and every source of the subset.
with subset_sources as (select * from {{ ref('subset_sources') }}),

record_sources as (select * from {{ ref('record_sources') }}),

field_options as (select * from {{ ref('field_options') }}),

source_counts as (
    select
        subset,
        count(*) as source_count,
    from subset_sources
    group by subset
),

with_fields as (
    select record_id
    from field_options
    group by record_id
    having
        bool_or(tier = 'category') and bool_or(tier = 'core')
        and bool_or(tier not in ('category', 'core'))
),

eligible as (
    select
        subset_sources.subset,
        record_sources.record_id,
    from subset_sources
    inner join source_counts using (subset)
    inner join record_sources using (source)
    where record_sources.record_id in (select record_id from with_fields)
    group by subset_sources.subset, source_counts.source_count, record_sources.record_id
    having count(*) = source_counts.source_count
),

final as (
    select
        subset,
        record_id,
        row_number() over (partition by subset order by record_id) - 1 as position,
        count(*) over (partition by subset) as record_count,
    from eligible
)

select * from final
