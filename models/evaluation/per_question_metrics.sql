-- One row per run, question and metric.
with runs as (select * from {{ ref('runs') }}),

qrels as (select * from {{ ref('qrels') }}),

queries as (select * from {{ ref('queries') }}),

metrics as (
    select * from {{ question_metrics('runs', 'qrels', 'queries') }}
),

final as (
    select
        run,
        qid,
        metric,
        value,
    from metrics
)

select * from final
