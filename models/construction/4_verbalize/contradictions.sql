-- One row per attempt, verified candidate and channel: how much of what was read contradicts the
-- question. An item whose judgement failed is unresolved, never compatible.
with contradiction_evidence as (select * from {{ ref('contradiction_evidence') }}),

contradiction_judgements as (select * from {{ ref('contradiction_judgements') }}),

final as (
    select
        contradiction_evidence.attempt_id,
        contradiction_evidence.record_id,
        contradiction_evidence.channel,
        count(*) as retrieved,
        count(*) filter (
            where
                contradiction_judgements.error is null
                and contradiction_judgements.verdict = 'yes'
        ) as contradictory,
        count(*) filter (
            where
                contradiction_judgements.error is not null
                or coalesce(contradiction_judgements.verdict, 'unresolved') = 'unresolved'
        ) as unresolved,
        count(*) filter (
            where
                contradiction_judgements.error is not null
                or contradiction_judgements.verdict is null
        ) as failed,
        round(contradictory / retrieved, 4) as ratio,
        max(contradiction_judgements.confidence) filter (
            where
                contradiction_judgements.error is null
                and contradiction_judgements.verdict = 'unresolved'
        ) as unresolved_confidence,
    from contradiction_evidence
    left join contradiction_judgements using (request_key)
    group by
        contradiction_evidence.attempt_id, contradiction_evidence.record_id,
        contradiction_evidence.channel
)

select * from final
