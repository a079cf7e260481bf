-- One row per record and source that it can give a constraint from.
with texts as (select * from {{ ref('texts') }}),

photos as (select * from {{ ref('photos') }}),

record_points as (select * from {{ ref('record_points') }}),

kg_edges as (select * from {{ ref('kg_edges') }}),

final as (
    select distinct record_id, 'text' as source from texts
    union all
    select distinct record_id, 'photo' as source from photos where caption is not null
    union all
    select record_id, 'spatial' as source from record_points
    union all
    select record_id, 'graph' as source
    from kg_edges
    where
        edge_type = 'record_feature' and polarity = 'positive'
        and confidence >= {{ var('mention_confidence') }}
    group by record_id
    having count(*) >= 2
)

select * from final
