-- One row per attempt and verified candidate with unresolved items that could push it over the
-- contradiction threshold: the case for keeping it, the case for removing it, and the arbiter's
-- word. Where failed calls alone could push it over, nobody can argue: the case stays unclear.
with contradictions as (select * from {{ ref('contradictions') }}),

verified_candidates as (select * from {{ ref('verified_candidates') }}),

open_cases as (
    select
        attempt_id,
        record_id,
        max(coalesce(unresolved_confidence, 0.5)) as remove_confidence,
        bool_or((contradictory + failed) / retrieved > {{ var('contradiction_ratio') }})
            as is_unheard,
    from contradictions
    where
        ratio <= {{ var('contradiction_ratio') }}
        and (contradictory + unresolved) / retrieved > {{ var('contradiction_ratio') }}
    group by attempt_id, record_id
),

final as (
    select
        open_cases.attempt_id,
        open_cases.record_id,
        verified_candidates.confidence as keep_confidence,
        open_cases.remove_confidence,
        case
            when open_cases.is_unheard then 'unclear'
            when keep_confidence >= remove_confidence + {{ var('debate_margin') }} then 'keep'
            when remove_confidence >= keep_confidence + {{ var('debate_margin') }} then 'remove'
            else 'unclear'
        end as verdict,
    from open_cases
    inner join verified_candidates using (attempt_id, record_id)
)

select * from final
