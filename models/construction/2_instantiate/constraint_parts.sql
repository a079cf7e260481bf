-- One row per part of a constraint of H, for attempts that have parts from each of their sources. A
-- record supports a constraint when it supports every part: a praised feature and an avoided one are
-- two parts.
with attempts as (select * from {{ ref('attempts') }}),

worded_constraints as (select * from {{ ref('worded_constraints') }}),

spatial_constraints as (select * from {{ ref('spatial_constraints') }}),

graph_choices as (select * from {{ ref('graph_choices') }}),

parts as (
    select
        attempt_id,
        source,
        'claim' as part_kind,
        claim,
        phrase,
        true as is_judged,
        origin_id,
        null as feature_id,
        null as latitude,
        null as longitude,
        null as radius_km,
        null as sector,
    from worded_constraints
    union all
    select
        attempt_id,
        'spatial' as source,
        operator as part_kind,
        null as claim,
        phrase,
        false as is_judged,
        reference_record_id as origin_id,
        null as feature_id,
        latitude,
        longitude,
        radius_km,
        sector,
    from spatial_constraints
    union all
    select
        attempt_id,
        'graph' as source,
        part_kind,
        claim,
        -- Blame is about the thing: slow service for one visitor is a complaint about the service.
        if(part_kind = 'avoid', {{ last_word('feature') }}, feature) as phrase,
        part_kind = 'has' as is_judged,
        null as origin_id,
        feature_id,
        null as latitude,
        null as longitude,
        null as radius_km,
        null as sector,
    from graph_choices
),

complete as (
    select parts.attempt_id
    from parts
    inner join attempts using (attempt_id)
    group by parts.attempt_id, attempts.sources
    having count(distinct parts.source) = len(attempts.sources)
),

final as (
    select
        attempt_id || '-' || source || '-' || row_number() over (
            partition by attempt_id, source order by part_kind, feature_id
        ) as part_id,
        attempt_id || '-' || source as constraint_id,
        attempt_id,
        source,
        part_kind,
        claim,
        phrase,
        is_judged,
        if(is_judged, {{ vector_key('query', 'claim') }}, null) as vector_key,
        origin_id,
        feature_id,
        latitude,
        longitude,
        radius_km,
        sector,
    from parts
    where attempt_id in (select attempt_id from complete)
)

select * from final
