select
    queries.qid,
    list(record_id order by rank) as answer_business_ids,
    list(name order by rank) as answer_business_names,
    count(*)::integer as answer_count,
    any_value(subset) as source_case_category,
from {{ ref('queries') }} as queries
inner join {{ ref('answer_sets') }} using (qid)
inner join {{ ref('places') }} using (record_id)
group by queries.qid
