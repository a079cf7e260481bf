-- One row per question slot: the subset that its question belongs to, by quota.
-- Quotas follow the published counts, or those that HETERQA_QUOTAS names, scaled to
-- HETERQA_QUESTIONS by largest remainder; without it there are as many slots as the own quotas sum
-- to, or 100.
-- depends_on: {{ ref('input_problems') }}
with subset_quotas as (select * from {{ ref('subset_quotas') }}),

subset_sources as (select * from {{ ref('subset_sources') }}),

own_quotas as (select * from {{ ref('stg_quotas') }}),

slot_counts as (
    select coalesce({{ setting('questions') }}, sum(questions)::integer, 100) as slot_count
    from own_quotas
),

wanted as (
    select
        subset_quotas.subset,
        case
            when (select count(*) from own_quotas) = 0 then subset_quotas.questions
            else coalesce(own_quotas.questions, 0)
        end as questions,
    from subset_quotas
    left join own_quotas using (subset)
),

shares as (
    select
        wanted.*,
        slot_counts.slot_count,
        slot_count * questions::double / sum(questions) over () as share,
    from wanted
    cross join slot_counts
),

ranked_shares as (
    select
        *,
        floor(share)::integer as whole,
        row_number() over (order by round(share - floor(share), 9) desc, subset asc)
            as remainder_rank,
        slot_count - sum(floor(share)::integer) over () as left_over,
    from shares
),

quotas as (
    select
        subset,
        whole + if(remainder_rank <= left_over, 1, 0) as quota,
    from ranked_shares
),

numbered as (
    select
        subset,
        unnest(range(quota)) as slot_of_subset,
    from quotas
),

source_lists as (
    select
        subset,
        list(source order by source) as sources,
    from subset_sources
    group by subset
),

final as (
    select
        -- The id of a slot does not depend on the number of slots: a build with more questions has
        -- all slots of a smaller one.
        lower(regexp_replace(subset, '^S\+|,', '', 'g')) || '-'
        || printf('%04d', slot_of_subset + 1) as slot_id,
        subset,
        source_lists.sources,
    from numbered
    inner join source_lists using (subset)
)

select * from final
