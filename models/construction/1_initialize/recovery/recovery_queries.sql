-- One row per claim that is tried, direction, and kind of records that are searched (with known
-- values or without): the vector of the sentence that is searched for, and its number in the
-- search.
with recovery_pairs as (select * from {{ ref('recovery_pairs') }}),

recovery_statements as (select * from {{ ref('recovery_statements') }}),

claim_vectors as (select * from {{ ref('claim_vectors') }}),

searches as (
    select distinct
        claim_id,
        is_known,
    from recovery_pairs
),

final as (
    select
        row_number() over (
            order by
                recovery_statements.claim_id asc, recovery_statements.direction desc,
                searches.is_known asc
        ) - 1 as query_number,
        recovery_statements.claim_id,
        recovery_statements.direction,
        searches.is_known,
        claim_vectors.vector,
    from recovery_statements
    inner join searches using (claim_id)
    inner join claim_vectors on recovery_statements.vector_key = claim_vectors.request_key
    -- The vector is null where the call failed: that sentence is not searched for.
    where claim_vectors.vector is not null
)

select * from final
