-- One row per record and thing that some text blames: one critical mention is criticism, in
-- whatever words and whatever the majority says.
with kg_mentions as (select * from {{ ref('kg_mentions') }}),

kg_features as (select * from {{ ref('kg_features') }}),

final as (
    select distinct
        kg_mentions.record_id,
        {{ last_word('kg_features.feature') }} as thing,
    from kg_mentions
    inner join kg_features on kg_mentions.feature_id = kg_features.feature_id
    where kg_mentions.polarity = 'negative'
)

select * from final
