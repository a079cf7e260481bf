-- One row per attempt with a graph constraint: its pattern and the phrase that says it.
with graph_choices as (select * from {{ ref('graph_choices') }}),

parts as (
    select
        attempt_id,
        bool_or(part = 'bridge') as is_collaborative,
        string_agg(feature, ' and ' order by feature) filter (where part in ('has', 'bridge'))
            as praised,
        -- Blame is about the thing: what is slow service for one is the service for all.
        string_agg({{ last_word('feature') }}, ' and ' order by feature)
            filter (where part = 'avoid') as avoided,
        string_agg(feature, ' and ' order by feature) filter (where part = 'trait') as traits,
        list({'part': part, 'feature_id': feature_id} order by part, feature_id) as parameters,
        string_agg(feature_id, ',' order by part, feature_id) as feature_ids,
    from graph_choices
    group by attempt_id
),

final as (
    select
        attempt_id,
        if(is_collaborative, 'collaborative', 'attribute') as pattern,
        'is praised for its ' || praised
        || coalesce(' by people who also like ' || traits, '')
        || coalesce(' and draws no complaints about its ' || avoided, '') as phrase,
        to_json(parameters)::varchar as parameters,
        feature_ids,
    from parts
    where praised is not null
)

select * from final
