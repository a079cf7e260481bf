-- One row per canonical feature.
with aliases as (select * from {{ ref('kg_feature_aliases') }}),

mentions as (select * from {{ ref('kg_mentions') }}),

counts as (
    select
        feature_id,
        count(distinct record_id) as record_count,
    from mentions
    group by feature_id
),

final as (
    select distinct
        aliases.feature_id,
        aliases.feature,
        counts.record_count,
    from aliases
    inner join counts using (feature_id)
)

select * from final
