-- One row per candidate and constraint of H that it fails by a check that costs nothing: it lies
-- elsewhere, lacks a pattern of the graph, or is criticised for what is to be avoided.
with candidates as (select * from {{ ref('candidates') }}),

spatial_checks as (select * from {{ ref('spatial_checks') }}),

graph_checks as (select * from {{ ref('graph_checks') }}),

constraint_parts as (select * from {{ ref('constraint_parts') }}),

final as (
    select
        attempt_id,
        constraint_id,
        record_id,
    from spatial_checks
    where not is_met
    union
    select
        attempt_id,
        constraint_id,
        record_id,
    from graph_checks
    where starts_with(part, 'avoid:') and not is_met
    union
    select
        constraint_parts.attempt_id,
        constraint_parts.constraint_id,
        candidates.record_id,
    from constraint_parts
    inner join candidates on constraint_parts.attempt_id = candidates.attempt_id
    where
        constraint_parts.part = 'pattern'
        and (constraint_parts.attempt_id, candidates.record_id) not in (
            select (attempt_id, record_id) from graph_checks where part = 'pattern' and is_met
        )
)

select * from final
