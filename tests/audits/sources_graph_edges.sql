-- Edges whose ends do not fit their type, and mentions and reviews that the edges do not count.
with kg_edges as (select * from {{ ref('kg_edges') }}),

kg_mentions as (select * from {{ ref('kg_mentions') }}),

texts as (select * from {{ ref('texts') }}),

misfits as (
    select
        edge_type,
        edge_id,
    from kg_edges
    where
        case edge_type
            when 'user_record'
                then user_id is null or record_id is null or feature_id is not null
            when 'user_feature'
                then user_id is null or record_id is not null or feature_id is null
            when 'record_feature'
                then user_id is not null or record_id is null or feature_id is null
            else true
        end
        or (edge_type != 'user_record' and coalesce(polarity, '') not in ('positive', 'negative'))
),

behind_edges as (
    select 'record_feature' as edge_type, count(*) as mention_count from kg_mentions
    union all
    select 'user_feature', count(user_id) from kg_mentions
    union all
    select 'user_record', count(user_id) from texts
),

counted as (
    select
        edge_type,
        sum(mention_count) as mention_count,
    from kg_edges
    group by edge_type
),

final as (
    select * from misfits
    union all
    select
        behind_edges.edge_type,
        'counts ' || coalesce(counted.mention_count, 0) || ' of ' || behind_edges.mention_count
            as edge_id,
    from behind_edges
    left join counted using (edge_type)
    where behind_edges.mention_count != coalesce(counted.mention_count, 0)
)

select * from final
