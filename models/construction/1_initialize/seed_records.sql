-- One row per subset and record that an attempt of the subset may start from, numbered from 0:
-- it has a category, a Core field, another field, and every source of the subset.
with subset_quotas as (select * from {{ ref('subset_quotas') }}),

record_sources as (select * from {{ ref('record_sources') }}),

field_options as (select * from {{ ref('field_options') }}),

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
        subset_quotas.subset,
        record_sources.record_id,
    from subset_quotas
    inner join record_sources
        on list_contains(string_split(subset_quotas.sources, '|'), record_sources.source)
    where record_sources.record_id in (select record_id from with_fields)
    group by subset_quotas.subset, subset_quotas.sources, record_sources.record_id
    having count(*) = len(string_split(subset_quotas.sources, '|'))
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
