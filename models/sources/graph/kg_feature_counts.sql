-- One row per feature string as extracted: how many records it is said of.
with mentions as (select * from {{ ref('kg_raw_mentions') }}),

final as (
    select
        raw_feature,
        count(distinct record_id) as record_count,
        count(*) as mention_count,
        {{ vector_key('document', 'raw_feature') }} as vector_key,
    from mentions
    group by raw_feature
)

select * from final
