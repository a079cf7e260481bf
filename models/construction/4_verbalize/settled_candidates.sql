-- One row per attempt and verified candidate of a worded question: keep, remove or open, and who
-- said so.
with verified_candidates as (select * from {{ ref('verified_candidates') }}),

questions as (select * from {{ ref('questions') }}),

contradictions as (select * from {{ ref('contradictions') }}),

debates as (select * from {{ ref('debates') }}),

decisions as (select * from {{ ref('stg_decisions') }}),

ratios as (
    select
        attempt_id,
        record_id,
        round(sum(ratio), 4) as ratio_sum,
        max(ratio) as worst_ratio,
    from contradictions
    group by attempt_id, record_id
),

final as (
    select
        verified_candidates.attempt_id,
        verified_candidates.record_id,
        coalesce(ratios.ratio_sum, 0) as ratio_sum,
        coalesce(ratios.worst_ratio, 0) as worst_ratio,
        case
            when decisions.decision is not null then decisions.decision
            when ratios.worst_ratio > {{ var('contradiction_ratio') }} then 'remove'
            when debates.verdict in ('keep', 'remove') then debates.verdict
            when debates.verdict = 'unclear' then 'open'
            else 'keep'
        end as verdict,
        case
            when decisions.decision is not null then 'person'
            when ratios.worst_ratio > {{ var('contradiction_ratio') }} then 'contradiction'
            when debates.verdict is not null then 'debate'
            else 'no contradiction'
        end as basis,
    from verified_candidates
    inner join questions on verified_candidates.attempt_id = questions.attempt_id
    left join ratios
        on
            verified_candidates.attempt_id = ratios.attempt_id
            and verified_candidates.record_id = ratios.record_id
    left join debates
        on
            verified_candidates.attempt_id = debates.attempt_id
            and verified_candidates.record_id = debates.record_id
    left join decisions
        on
            verified_candidates.attempt_id = decisions.attempt_id
            and verified_candidates.record_id = decisions.record_id
            and questions.question = decisions.question
)

select * from final
