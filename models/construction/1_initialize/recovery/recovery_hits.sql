-- One row per claim, direction, source and entry that is among the recovery_depth nearest to the
-- claim, or to its negation, among the entries of the records that the claim is tried on: once
-- among records with known values, once among the other records.
with recovery_nearest as (select * from {{ ref('recovery_nearest') }}),

recovery_queries as (select * from {{ ref('recovery_queries') }}),

recovery_entries as (select * from {{ ref('recovery_entries') }}),

final as (
    select
        recovery_queries.claim_id,
        recovery_queries.direction,
        recovery_entries.source,
        recovery_entries.entry_id,
        recovery_nearest.passage_number,
        recovery_entries.record_id,
        recovery_nearest.similarity,
    from recovery_nearest
    inner join recovery_queries using (query_number)
    inner join recovery_entries using (entry_number)
)

select * from final
