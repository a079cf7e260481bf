-- One row per constraint of H and part of it that is checked on its own. A record supports the
-- constraint when it supports every part: a praised feature and an avoided one are two parts.
with source_constraints as (select * from {{ ref('source_constraints') }}),

spatial_constraints as (select * from {{ ref('spatial_constraints') }}),

graph_constraints as (select * from {{ ref('graph_constraints') }}),

graph_choices as (select * from {{ ref('graph_choices') }}),

parts as (
    select
        attempt_id,
        source,
        'claim' as part,
        claim,
        null as feature_id,
    from source_constraints
    where source in ('text', 'photo')
    union all
    select
        attempt_id,
        'spatial' as source,
        operator as part,
        null as claim,
        null as feature_id,
    from spatial_constraints
    union all
    select
        graph_choices.attempt_id,
        'graph' as source,
        graph_choices.part || ':' || graph_choices.feature_id as part,
        graph_choices.claim,
        graph_choices.feature_id,
    from graph_choices
    inner join graph_constraints on graph_choices.attempt_id = graph_constraints.attempt_id
    where graph_constraints.pattern = 'attribute'
    union all
    select
        attempt_id,
        'graph' as source,
        'pattern' as part,
        null as claim,
        null as feature_id,
    from graph_constraints
    where pattern = 'collaborative'
),

final as (
    select
        parts.attempt_id,
        source_constraints.constraint_id,
        parts.source,
        parts.part,
        parts.claim,
        parts.feature_id,
        if(parts.claim is null, null, {{ vector_key('query', 'parts.claim') }}) as vector_key,
    from parts
    inner join source_constraints
        on
            parts.attempt_id = source_constraints.attempt_id
            and parts.source = source_constraints.source
)

select * from final
