-- One row per step that asks a model role, and one for `all`: calls, tokens, seconds and cost of
-- its answers since the warehouse began, the cost a question, and what stored answers saved this
-- build.
with responses as (select * from {{ ref('responses') }}),

queries as (select * from {{ ref('queries') }}),

asked as (select * from {{ source('ledger', 'asked') }}),

sliced_responses as (
    select * from responses
    union all by name
    select * replace ('all' as step) from responses
),

-- A build that ended early has no row for the steps that it did not reach.
this_build as (
    select
        responses.step,
        asked.asked,
        asked.reused,
        asked.saved_tokens,
        asked.saved_ms,
        asked.saved_cost,
    from asked
    inner join (select distinct step, step_model from responses) as responses
        on asked.model = responses.step_model
    where asked.invocation_id = '{{ invocation_id }}'
),

sliced_builds as (
    select * from this_build
    union all
    select * replace ('all' as step) from this_build
),

calls as (
    select
        step,
        sum(asked)::bigint as asked,
        sum(reused)::bigint as reused,
        sum(saved_tokens)::bigint as saved_tokens,
        round(sum(saved_ms) / 1000, 3) as saved_seconds,
        sum(saved_cost) as saved_cost,
    from sliced_builds
    group by step
),

totals as (
    select
        step,
        string_agg(distinct model, ', ' order by model) as models,
        count(*) as answers,
        count(*) filter (where error is not null) as unresolved,
        sum(attempts)::bigint as attempts,
        sum(input_tokens)::bigint as input_tokens,
        sum(output_tokens)::bigint as output_tokens,
        round(sum(latency_ms) / 1000, 3) as seconds,
        sum(cost) as cost,
    from sliced_responses
    group by step
),

final as (
    select
        totals.step,
        totals.models,
        totals.answers,
        totals.unresolved,
        totals.attempts,
        totals.input_tokens,
        totals.output_tokens,
        totals.seconds,
        round(totals.cost, 6) as cost,
        round(totals.cost / nullif((select count(*) from queries), 0), 6)
            as cost_per_question,
        coalesce(calls.asked, 0) as asked,
        coalesce(calls.reused, 0) as reused,
        coalesce(calls.saved_tokens, 0) as saved_tokens,
        coalesce(calls.saved_seconds, 0) as saved_seconds,
        round(coalesce(calls.saved_cost, 0), 6) as saved_cost,
    from totals
    left join calls using (step)
)

select * from final
