-- One row per run, subset and metric: the mean over the subset's questions.
-- Subset `all` is every question.
with per_question_metrics as (select * from {{ ref('per_question_metrics') }}),

queries as (select * from {{ ref('queries') }}),

question_subsets as (
    select
        qid,
        'all' as subset,
    from queries
    union all
    select
        qid,
        subset,
    from queries
),

final as (
    select
        per_question_metrics.run,
        question_subsets.subset,
        per_question_metrics.metric,
        round(avg(per_question_metrics.value), 10) as value,
        count(*) as questions,
    from per_question_metrics
    inner join question_subsets using (qid)
    group by per_question_metrics.run, question_subsets.subset, per_question_metrics.metric
)

select * from final
