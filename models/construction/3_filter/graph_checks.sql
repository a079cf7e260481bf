-- One row per part of a graph constraint, and candidate: whether the graph itself supports the part.
-- The bridges and traits of a collaborative pattern are met together, by one user, or not at all.
with constraint_parts as (select * from {{ ref('constraint_parts') }}),

candidates as (select * from {{ ref('candidates') }}),

kg_edges as (select * from {{ ref('kg_edges') }}),

kg_mentions as (select * from {{ ref('kg_mentions') }}),

kg_features as (select * from {{ ref('kg_features') }}),

kg_criticisms as (select * from {{ ref('kg_criticisms') }}),

unread_records as (select * from {{ ref('unread_records') }}),

record_features as (
    select
        record_id,
        feature_id,
        polarity,
        confidence,
    from kg_edges
    where edge_type = 'record_feature' and confidence >= {{ var('mention_confidence') }}
),

attribute_checks as (
    select
        constraint_parts.attempt_id,
        constraint_parts.constraint_id,
        constraint_parts.part_id,
        constraint_parts.part_kind,
        constraint_parts.feature_id,
        candidates.record_id,
        if(
            constraint_parts.part_kind = 'avoid',
            (candidates.record_id, {{ last_word('kg_features.feature') }}) not in (
                select (record_id, thing) from kg_criticisms
            ),
            coalesce(record_features.polarity, 'none') = 'positive'
        ) as is_met,
        if(constraint_parts.part_kind = 'avoid', 1.0, record_features.confidence) as confidence,
    from constraint_parts
    inner join kg_features on constraint_parts.feature_id = kg_features.feature_id
    inner join candidates on constraint_parts.attempt_id = candidates.attempt_id
    left join record_features
        on
            candidates.record_id = record_features.record_id
            and constraint_parts.feature_id = record_features.feature_id
    where constraint_parts.part_kind in ('has', 'avoid')
),

pattern_parts as (
    select
        attempt_id,
        constraint_id,
        part_id,
        part_kind,
        feature_id,
    from constraint_parts
    where part_kind in ('bridge', 'trait')
),

patterns as (
    select
        attempt_id,
        count(*) filter (where part_kind = 'bridge') as bridge_count,
        count(*) filter (where part_kind = 'trait') as trait_count,
    from pattern_parts
    group by attempt_id
),

bridged as (
    select
        pattern_parts.attempt_id,
        candidates.record_id,
        min(record_features.confidence) as confidence,
    from pattern_parts
    inner join candidates on pattern_parts.attempt_id = candidates.attempt_id
    inner join record_features
        on
            candidates.record_id = record_features.record_id
            and pattern_parts.feature_id = record_features.feature_id
    inner join patterns on pattern_parts.attempt_id = patterns.attempt_id
    where pattern_parts.part_kind = 'bridge' and record_features.polarity = 'positive'
    group by pattern_parts.attempt_id, candidates.record_id, patterns.bridge_count
    having count(*) = patterns.bridge_count
),

-- Users who praise a bridge at that record, and every trait at any record.
fans as (
    select distinct
        bridged.attempt_id,
        bridged.record_id,
        kg_mentions.user_id,
    from bridged
    inner join pattern_parts on bridged.attempt_id = pattern_parts.attempt_id
    inner join kg_mentions
        on
            bridged.record_id = kg_mentions.record_id
            and pattern_parts.feature_id = kg_mentions.feature_id
    where pattern_parts.part_kind = 'bridge' and kg_mentions.polarity = 'positive'
),

trait_fans as (
    select
        fans.attempt_id,
        fans.record_id,
    from fans
    inner join pattern_parts on fans.attempt_id = pattern_parts.attempt_id
    inner join kg_edges
        on fans.user_id = kg_edges.user_id and pattern_parts.feature_id = kg_edges.feature_id
    inner join patterns on fans.attempt_id = patterns.attempt_id
    where
        pattern_parts.part_kind = 'trait' and kg_edges.edge_type = 'user_feature'
        and kg_edges.polarity = 'positive'
    group by fans.attempt_id, fans.record_id, fans.user_id, patterns.trait_count
    having count(*) = patterns.trait_count
),

pattern_checks as (
    select
        pattern_parts.attempt_id,
        pattern_parts.constraint_id,
        pattern_parts.part_id,
        pattern_parts.part_kind,
        pattern_parts.feature_id,
        candidates.record_id,
        (candidates.attempt_id, candidates.record_id) in (
            select (attempt_id, record_id) from trait_fans
        ) as is_met,
        bridged.confidence,
    from pattern_parts
    inner join candidates on pattern_parts.attempt_id = candidates.attempt_id
    left join bridged
        on
            candidates.attempt_id = bridged.attempt_id
            and candidates.record_id = bridged.record_id
),

checks as (
    select * from attribute_checks
    union all
    select * from pattern_checks
),

final as (
    select
        attempt_id,
        constraint_id,
        part_id,
        part_kind,
        feature_id,
        record_id,
        is_met,
        -- A text without an answer of the extractor may hold the criticism, or the missing praise.
        is_met = (part_kind = 'avoid') and record_id in (
            select record_id from unread_records
        ) as is_open,
        confidence,
    from checks
)

select * from final
