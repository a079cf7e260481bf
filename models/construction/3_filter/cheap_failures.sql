-- One row per candidate and constraint of H that it fails by a check that costs nothing: it lies
-- elsewhere, lacks a pattern of the graph, or is criticised for what is to be avoided.
with spatial_checks as (select * from {{ ref('spatial_checks') }}),

graph_checks as (select * from {{ ref('graph_checks') }}),

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
    where part_kind in ('avoid', 'bridge', 'trait') and not is_met and not is_open
)

select * from final
