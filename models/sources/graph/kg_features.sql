-- One row per canonical feature.
with aliases as (select * from {{ ref('kg_feature_aliases') }}),

mentions as (select * from {{ ref('kg_mentions') }}),

raw_features as (select * from {{ ref('kg_feature_counts') }}),

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
        raw_features.vector_key,
    from aliases
    inner join counts using (feature_id)
    -- A canonical feature is one of the strings as extracted, and has the vector of that string.
    inner join raw_features on aliases.feature = raw_features.raw_feature
)

select * from final
