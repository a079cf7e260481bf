-- One row per recoverable claim and direction: the sentence that evidence is looked for. `for` is
-- the claim, `against` its negation.
with field_claims as (select * from {{ ref('field_claims') }}),

statements as (
    select
        claim_id,
        'for' as direction,
        claim as statement,
    from field_claims
    where is_recoverable
    union all
    select
        claim_id,
        'against' as direction,
        negation as statement,
    from field_claims
    where is_recoverable
),

final as (
    select
        claim_id,
        direction,
        statement,
        {{ vector_key('query', 'statement') }} as vector_key,
    from statements
)

select * from final
