-- Questions and metrics on which the answers themselves, as a run, do not score exactly 1.
with gold_runs as (
    select
        'gold' as run,
        qid,
        record_id,
        1.0 as score,
    from {{ ref('qrels') }}
),

qrels as (select * from {{ ref('qrels') }}),

queries as (select * from {{ ref('queries') }}),

final as (
    select
        qid,
        metric,
        value,
    from {{ question_metrics('gold_runs', 'qrels', 'queries') }}
    where value != 1
)

select * from final
