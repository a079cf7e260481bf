-- One row per released question and answer.
with queries as (select * from {{ ref('queries') }}),

answer_sets as (select * from {{ ref('answer_sets') }}),

final as (
    select
        queries.qid,
        answer_sets.record_id,
        1::integer as score,
    from queries
    inner join answer_sets using (qid)
)

select * from final
