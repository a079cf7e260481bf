-- One row per released question, with its answers from the highest score down.
with queries as (select * from {{ ref('queries') }}),

answer_sets as (select * from {{ evaluated('answer_sets', 'imported_answers') }}),

records as (select * from {{ ref('records') }}),

listed_answers as (
    select
        answer_sets.qid,
        list(records.record_id order by answer_sets.rank, records.record_id)
            as record_ids,
        list(records.name order by answer_sets.rank, records.record_id)
            as record_names,
    from answer_sets
    inner join records using (record_id)
    group by answer_sets.qid
),

final as (
    select
        queries.qid,
        queries.subset,
        listed_answers.record_ids,
        listed_answers.record_names,
        len(listed_answers.record_ids)::integer as answer_count,
    from queries
    inner join listed_answers using (qid)
)

select * from final
