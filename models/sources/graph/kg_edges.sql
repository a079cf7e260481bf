-- One row per edge of the graph: a user's review of a record, and who (user, record) has a feature.
-- A feature edge has one polarity: the side with more mentions, positive on a tie.
with mentions as (select * from {{ ref('kg_mentions') }}),

texts as (select * from {{ ref('texts') }}),

owned_mentions as (
    select
        'record_feature' as edge_type,
        null as user_id,
        record_id,
        feature_id,
        polarity,
        confidence,
    from mentions
    union all
    select 'user_feature', user_id, null, feature_id, polarity, confidence
    from mentions
    where user_id is not null
),

counted as (
    select
        edge_type,
        user_id,
        record_id,
        feature_id,
        count(*) filter (where polarity = 'positive') as positive_count,
        count(*) filter (where polarity = 'negative') as negative_count,
        max(confidence) filter (where polarity = 'positive') as positive_confidence,
        max(confidence) filter (where polarity = 'negative') as negative_confidence,
    from owned_mentions
    group by edge_type, user_id, record_id, feature_id
),

feature_edges as (
    select
        edge_type,
        user_id,
        record_id,
        feature_id,
        if(positive_count >= negative_count, 'positive', 'negative') as polarity,
        -- Mentions of the other side take their share of the confidence away.
        round(
            if(positive_count >= negative_count, positive_confidence, negative_confidence)
            * greatest(positive_count, negative_count) / (positive_count + negative_count), 4
        ) as confidence,
        positive_count + negative_count as mention_count,
    from counted
),

review_edges as (
    select
        'user_record' as edge_type,
        user_id,
        record_id,
        null as feature_id,
        null as polarity,
        1.0 as confidence,
        count(*) as mention_count,
    from texts
    where user_id is not null
    group by user_id, record_id
),

edges as (
    select * from feature_edges
    union all
    select * from review_edges
),

final as (
    select
        left(md5(to_json([edge_type, user_id, record_id, feature_id])::varchar), 22) as edge_id,
        edge_type,
        user_id,
        record_id,
        feature_id,
        polarity,
        confidence,
        mention_count,
    from edges
)

select * from final
