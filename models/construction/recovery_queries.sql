-- One row per claim that is tried and direction: the sentence that is searched for, with its vector
-- and its number in the search.
with recovery_pairs as (select * from {{ ref('recovery_pairs') }}),

recovery_statements as (select * from {{ ref('recovery_statements') }}),

claim_vectors as (select * from {{ ref('claim_vectors') }}),

final as (
    select
        row_number() over (
            order by recovery_statements.claim_id asc, recovery_statements.direction desc
        ) - 1 as query_number,
        recovery_statements.claim_id,
        recovery_statements.direction,
        claim_vectors.vector,
    from recovery_statements
    inner join claim_vectors
        on {{ vector_key('query', 'recovery_statements.statement') }} = claim_vectors.request_key
    where
        recovery_statements.claim_id in (select claim_id from recovery_pairs)
        -- A call that failed has no vector: that sentence is not searched for.
        and claim_vectors.vector is not null
)

select * from final
