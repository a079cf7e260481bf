-- One row per attempt and candidate that is worth a judge's time: what fails a constraint that
-- costs nothing to check needs no judgement of the others.
with source_constraints as (select * from {{ ref('source_constraints') }}),

candidates as (select * from {{ ref('candidates') }}),

cheap_failures as (select * from {{ ref('cheap_failures') }}),

final as (
    select
        candidates.attempt_id,
        candidates.record_id,
    from candidates
    where
        candidates.attempt_id in (select attempt_id from source_constraints)
        and (candidates.attempt_id, candidates.record_id) not in (
            select (attempt_id, record_id) from cheap_failures
        )
)

select * from final
