-- One row per text, canonical feature and polarity.
with raw_mentions as (select * from {{ ref('kg_raw_mentions') }}),

aliases as (select * from {{ ref('kg_feature_aliases') }}),

final as (
    select
        raw_mentions.text_id,
        raw_mentions.record_id,
        raw_mentions.user_id,
        aliases.feature_id,
        raw_mentions.polarity,
        max(raw_mentions.confidence) as confidence,
    from raw_mentions
    inner join aliases using (raw_feature)
    group by all
)

select * from final
