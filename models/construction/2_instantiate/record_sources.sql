-- One row per record and source that it can give a constraint from.
with texts as (select * from {{ ref('texts') }}),

photos as (select * from {{ ref('photos') }}),

record_points as (select * from {{ ref('record_points') }}),

kg_edges as (select * from {{ ref('kg_edges') }}),

kg_features as (select * from {{ ref('kg_features') }}),

final as (
    select distinct record_id, 'text' as source from texts where not is_empty
    union all
    select distinct record_id, 'photo' as source from photos where caption is not null
    union all
    select record_id, 'spatial' as source from record_points
    union all
    select record_id, 'graph' as source
    from kg_edges
    inner join kg_features using (feature_id)
    where
        kg_edges.edge_type = 'record_feature' and kg_edges.polarity = 'positive'
        and kg_edges.confidence >= {{ var('mention_confidence') }}
        and kg_features.record_count >= 2
    group by record_id
    having count(*) >= 2
)

select * from final
