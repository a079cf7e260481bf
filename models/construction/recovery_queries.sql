-- One row per claim that is tried and direction: the sentence that is searched for, with its vector
-- and its number in the search.
with recovery_pairs as (select * from {{ ref('recovery_pairs') }}),

field_claims as (select * from {{ ref('field_claims') }}),

claim_vectors as (select * from {{ ref('claim_vectors') }}),

sentences as (
    select
        claim_id,
        'for' as direction,
        claim as sentence,
    from field_claims
    union all
    select
        claim_id,
        'against' as direction,
        negation as sentence,
    from field_claims
),

final as (
    select
        row_number() over (order by sentences.claim_id asc, sentences.direction desc) - 1
            as query_number,
        sentences.claim_id,
        sentences.direction,
        claim_vectors.vector,
    from sentences
    inner join claim_vectors
        on {{ vector_key('query', 'sentences.sentence') }} = claim_vectors.request_key
    where
        sentences.claim_id in (select claim_id from recovery_pairs)
        -- A call that failed has no vector: that sentence is not searched for.
        and claim_vectors.vector is not null
)

select * from final
