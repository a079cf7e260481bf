-- One row per recoverable claim and direction whose sentence has no vector, because the call
-- failed: no evidence was looked for.
with recovery_statements as (select * from {{ ref('recovery_statements') }}),

claim_vectors as (select * from {{ ref('claim_vectors') }}),

final as (
    select
        recovery_statements.claim_id,
        recovery_statements.direction,
    from recovery_statements
    left join claim_vectors on recovery_statements.vector_key = claim_vectors.request_key
    where claim_vectors.vector is null
)

select * from final
