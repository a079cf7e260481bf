-- One row per attempt and candidate that is worth a judge's time: what fails a constraint that
-- costs nothing to check (a place, a pattern, an avoided feature) needs no judgement of the
-- others.
with source_constraints as (select * from {{ ref('source_constraints') }}),

candidates as (select * from {{ ref('candidates') }}),

spatial_checks as (select * from {{ ref('spatial_checks') }}),

graph_checks as (select * from {{ ref('graph_checks') }}),

constraint_parts as (select * from {{ ref('constraint_parts') }}),

failed as (
    select
        attempt_id,
        record_id,
    from spatial_checks
    where not is_met
    union
    select
        attempt_id,
        record_id,
    from graph_checks
    where starts_with(part, 'avoid:') and not is_met
    union
    select
        constraint_parts.attempt_id,
        candidates.record_id,
    from constraint_parts
    inner join candidates on constraint_parts.attempt_id = candidates.attempt_id
    where
        constraint_parts.part = 'pattern'
        and (constraint_parts.attempt_id, candidates.record_id) not in (
            select (attempt_id, record_id) from graph_checks where part = 'pattern' and is_met
        )
),

final as (
    select
        candidates.attempt_id,
        candidates.record_id,
    from candidates
    where
        candidates.attempt_id in (select attempt_id from source_constraints)
        and (candidates.attempt_id, candidates.record_id) not in (
            select (attempt_id, record_id) from failed
        )
)

select * from final
