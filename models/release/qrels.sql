-- One row per released question and answer.
with queries as (select * from {{ ref('queries') }}),

answer_sets as (select * from {{ evaluated('answer_sets', 'imported_answers') }}),

final as (
    select
        queries.qid,
        answer_sets.record_id,
        1::integer as score,
    from queries
    inner join answer_sets using (qid)
)

select * from final
