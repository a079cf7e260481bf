-- Released questions that are empty, or whose answers are none, or not as many in every file.
with queries as (select * from {{ ref('queries') }}),

answers as (select * from {{ ref('answers') }}),

qrel_counts as (
    select
        qid,
        count(*) as qrel_count,
    from {{ ref('qrels') }}
    group by qid
),

final as (
    select
        queries.qid,
        queries.answer_count,
        answers.answer_count as listed_count,
        qrel_counts.qrel_count,
    from queries
    left join answers using (qid)
    left join qrel_counts using (qid)
    where
        trim(queries.query) = ''
        or queries.answer_count < 1
        or queries.answer_count is distinct from answers.answer_count
        or queries.answer_count is distinct from qrel_counts.qrel_count
        or queries.answer_count is distinct from len(list_distinct(answers.record_ids))
        or queries.answer_count is distinct from len(answers.record_names)
)

select * from final
