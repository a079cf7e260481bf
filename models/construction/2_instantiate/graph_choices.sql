-- One row per attempt with a graph constraint, and feature of its pattern with the kind of part that
-- the feature is: `has` and `avoid` (attribute pattern), `bridge` and `trait` (collaborative pattern).
with attempts as (select * from {{ ref('attempts') }}),

anchors as (select * from {{ ref('anchors') }}),

candidates as (select * from {{ ref('candidates') }}),

kg_edges as (select * from {{ ref('kg_edges') }}),

kg_features as (select * from {{ ref('kg_features') }}),

kg_criticisms as (select * from {{ ref('kg_criticisms') }}),

kg_mentions as (select * from {{ ref('kg_mentions') }}),

worded_constraints as (select * from {{ ref('worded_constraints') }}),

-- Half of the constraints follow each pattern; a bridge has at most two features, a trait too.
patterns as (
    select
        anchors.attempt_id,
        anchors.record_id,
        {{ draw('anchors.attempt_id', 'graph pattern') }} < 0.5 as is_attribute,
        {{ draw('anchors.attempt_id', 'graph avoid') }} < 0.5 as wants_avoid,
        {{ draw('anchors.attempt_id', 'graph sizes') }} as size_draw,
    from anchors
    inner join attempts on anchors.attempt_id = attempts.attempt_id
    where list_contains(attempts.sources, 'graph')
),

-- Features that the anchor and some other record are praised for: a feature of one record alone makes
-- no question. A thing that the attempt's text or photo constraint names is left to that constraint.
praiseworthy as (
    select
        patterns.attempt_id,
        patterns.record_id,
        kg_edges.feature_id,
        {{ last_word('kg_features.feature') }} as thing,
        {{ weighted_draw(
            feature_weight('kg_features'), 'patterns.attempt_id', 'praised feature',
            'kg_edges.feature_id'
        ) }} as draw_key,
    from patterns
    inner join kg_edges on patterns.record_id = kg_edges.record_id
    inner join kg_features on kg_edges.feature_id = kg_features.feature_id
    where
        kg_edges.edge_type = 'record_feature' and kg_edges.polarity = 'positive'
        and kg_edges.confidence >= {{ var('mention_confidence') }}
        and kg_features.record_count >= 2
        and not exists (
            select 1
            from worded_constraints
            where
                worded_constraints.attempt_id = patterns.attempt_id
                and contains(
                    lower(worded_constraints.claim), {{ last_word('kg_features.feature') }}
                )
        )
),

-- Friendly staff and welcoming staff would be one thing said twice.
distinct_things as (
    select *
    from praiseworthy
    qualify row_number() over (
        partition by attempt_id, thing order by draw_key, feature_id
    ) = 1
),

praised as (
    select
        attempt_id,
        record_id,
        feature_id,
        thing,
        row_number() over (partition by attempt_id order by draw_key, feature_id) as feature_rank,
    from distinct_things
),

-- Features that some other candidate is blamed for, and the anchor is not.
blamed as (
    select
        patterns.attempt_id,
        kg_edges.feature_id,
    from patterns
    inner join candidates on patterns.attempt_id = candidates.attempt_id
    inner join kg_edges on candidates.record_id = kg_edges.record_id
    inner join kg_features on kg_edges.feature_id = kg_features.feature_id
    inner join praised on patterns.attempt_id = praised.attempt_id and praised.feature_rank = 1
    where
        kg_edges.edge_type = 'record_feature' and kg_edges.polarity = 'negative'
        and {{ last_word('kg_features.feature') }} != praised.thing
        and patterns.is_attribute and patterns.wants_avoid
        and candidates.record_id != patterns.record_id
        and (patterns.record_id, {{ last_word('kg_features.feature') }}) not in (
            select (record_id, thing) from kg_criticisms
        )
    qualify row_number() over (
        partition by patterns.attempt_id
        order by
            {{ draw('patterns.attempt_id', 'blamed feature', 'kg_edges.feature_id') }},
            kg_edges.feature_id
    ) = 1
),

attribute_choices as (
    select
        patterns.attempt_id,
        praised.feature_id,
        'has' as part_kind,
    from patterns
    inner join praised on patterns.attempt_id = praised.attempt_id
    left join blamed on patterns.attempt_id = blamed.attempt_id
    where
        patterns.is_attribute
        and praised.feature_rank <= if(blamed.feature_id is null, 2, 1)
    union all
    select
        attempt_id,
        feature_id,
        'avoid' as part_kind,
    from blamed
),

-- The users who praise one of the first two features at the anchor, with all that they praise.
bridges as (
    select
        praised.attempt_id,
        praised.record_id,
        praised.feature_id,
    from praised
    inner join patterns on praised.attempt_id = patterns.attempt_id
    where
        not patterns.is_attribute
        and praised.feature_rank
        <= if(patterns.size_draw >= 0.5 and patterns.size_draw < 0.75, 2, 1)
),

bridge_users as (
    select distinct
        bridges.attempt_id,
        kg_mentions.user_id,
    from bridges
    inner join kg_mentions
        on
            bridges.record_id = kg_mentions.record_id
            and bridges.feature_id = kg_mentions.feature_id
            and kg_mentions.polarity = 'positive'
),

drawn_users as (
    select
        bridge_users.attempt_id,
        bridge_users.user_id,
        list(kg_edges.feature_id order by
            {{ weighted_draw(
                feature_weight('kg_features'), 'bridge_users.attempt_id', 'trait',
                'kg_edges.feature_id'
            ) }},
            kg_edges.feature_id
        ) as traits,
    from bridge_users
    inner join kg_edges on bridge_users.user_id = kg_edges.user_id
    inner join kg_features on kg_edges.feature_id = kg_features.feature_id
    where
        kg_edges.edge_type = 'user_feature' and kg_edges.polarity = 'positive'
        and kg_features.record_count >= 2
        and (bridge_users.attempt_id, kg_edges.feature_id) not in (
            select (attempt_id, feature_id) from bridges
        )
    group by bridge_users.attempt_id, bridge_users.user_id
    qualify row_number() over (
        partition by bridge_users.attempt_id
        order by
            {{ draw('bridge_users.attempt_id', 'trait user', 'bridge_users.user_id') }},
            bridge_users.user_id
    ) = 1
),

collaborative_choices as (
    select
        attempt_id,
        feature_id,
        'bridge' as part_kind,
    from bridges
    where attempt_id in (select attempt_id from drawn_users)
    union all
    select
        drawn_users.attempt_id,
        unnest(list_slice(drawn_users.traits, 1, if(patterns.size_draw >= 0.75, 2, 1)))
            as feature_id,
        'trait' as part_kind,
    from drawn_users
    inner join patterns on drawn_users.attempt_id = patterns.attempt_id
),

choices as (
    select * from attribute_choices
    union all
    select * from collaborative_choices
),

final as (
    select
        choices.attempt_id,
        choices.feature_id,
        choices.part_kind,
        kg_features.feature,
        if(
            choices.part_kind in ('has', 'bridge'),
            'People praise its ' || kg_features.feature || '.',
            null
        ) as claim,
    from choices
    inner join kg_features using (feature_id)
)

select * from final
