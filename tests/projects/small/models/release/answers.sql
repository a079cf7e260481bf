select
    queries.qid,
    list(record_id order by rank) as record_ids,
    list(name order by rank) as record_names,
    count(*)::integer as answer_count,
    any_value(subset) as subset,
from {{ ref('queries') }} as queries
inner join {{ ref('answer_sets') }} using (qid)
inner join {{ ref('places') }} using (record_id)
group by queries.qid
