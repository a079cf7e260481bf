-- Runs, metrics and subsets of the leaderboard that are not means over all the subset's questions.
with queries as (select * from {{ ref('queries') }}),

leaderboard as (select * from {{ ref('leaderboard') }}),

subset_sizes as (
    select
        'all' as subset,
        count(*) as questions,
    from queries
    union all
    select
        subset,
        count(*) as questions,
    from queries
    group by subset
),

cells as (
    select
        run_names.run,
        metrics.metric,
        subset_sizes.subset,
        subset_sizes.questions,
    from (select distinct run from {{ ref('runs') }}) as run_names
    cross join (select unnest(['hit@5', 'recall@10', 'mrr@10']) as metric) as metrics
    cross join subset_sizes
),

final as (
    select
        cells.run,
        cells.subset,
        cells.metric,
        leaderboard.questions,
    from cells
    left join leaderboard using (run, subset, metric)
    where cells.questions > 0 and cells.questions is distinct from leaderboard.questions
)

select * from final
