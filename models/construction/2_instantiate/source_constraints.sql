-- One row per attempt and constraint of H, for attempts that have one of each of their sources.
with attempts as (select * from {{ ref('attempts') }}),

worded_constraints as (select * from {{ ref('worded_constraints') }}),

spatial_constraints as (select * from {{ ref('spatial_constraints') }}),

graph_constraints as (select * from {{ ref('graph_constraints') }}),

constraints as (
    select
        attempt_id,
        source,
        claim,
        phrase,
        to_json({'origin_sentence': origin_sentence})::varchar as parameters,
        origin_id,
    from worded_constraints
    union all
    select
        attempt_id,
        'spatial' as source,
        'It ' || phrase || '.' as claim,
        phrase,
        to_json({
            'operator': operator, 'latitude': latitude, 'longitude': longitude,
            'radius_km': radius_km, 'sector': sector
        })::varchar as parameters,
        coalesce(reference_record_id, 'user') as origin_id,
    from spatial_constraints
    union all
    select
        attempt_id,
        'graph' as source,
        'It ' || phrase || '.' as claim,
        phrase,
        parameters,
        feature_ids as origin_id,
    from graph_constraints
),

complete as (
    select constraints.attempt_id
    from constraints
    inner join attempts using (attempt_id)
    group by constraints.attempt_id, attempts.sources
    having count(*) = len(attempts.sources)
),

final as (
    select
        attempt_id,
        attempt_id || '-' || source as constraint_id,
        source,
        claim,
        phrase,
        parameters,
        origin_id,
    from constraints
    where attempt_id in (select attempt_id from complete)
)

select * from final
