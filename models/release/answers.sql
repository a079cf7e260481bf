-- One row per released question, with its answers from the highest score down.
with queries as (select * from {{ ref('queries') }}),

answer_sets as (select * from {{ evaluated('answer_sets', 'imported_answers') }}),

records as (select * from {{ ref('records') }}),

listed_answers as (
    select
        answer_sets.qid,
        list(records.record_id order by answer_sets.rank, records.record_id)
            as answer_business_ids,
        list(records.name order by answer_sets.rank, records.record_id)
            as answer_business_names,
    from answer_sets
    inner join records using (record_id)
    group by answer_sets.qid
),

final as (
    select
        queries.qid,
        listed_answers.answer_business_ids,
        listed_answers.answer_business_names,
        len(listed_answers.answer_business_ids)::integer as answer_count,
        queries.subset as source_case_category,
    from queries
    inner join listed_answers using (qid)
)

select * from final
