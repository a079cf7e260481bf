-- One row per recoverable claim and graph feature that is near it.
with field_claims as (select * from {{ ref('field_claims') }}),

claim_vectors as (select * from {{ ref('claim_vectors') }}),

feature_vectors as (select * from {{ ref('feature_vectors') }}),

kg_features as (select * from {{ ref('kg_features') }}),

claims as (
    select
        field_claims.claim_id,
        claim_vectors.vector,
    from field_claims
    inner join claim_vectors
        on {{ vector_key('query', 'field_claims.claim') }} = claim_vectors.request_key
),

features as (
    select
        kg_features.feature_id,
        kg_features.feature,
        feature_vectors.vector,
    from kg_features
    inner join feature_vectors
        on
            {{ vector_key('document', 'kg_features.feature') }}
            = feature_vectors.request_key
),

similarities as (
    select
        claims.claim_id,
        features.feature_id,
        features.feature,
        {{ similarity('claims.vector', 'features.vector') }} as similarity,
    from claims
    cross join features
),

final as (
    select
        claim_id,
        feature_id,
        feature,
        similarity,
    from similarities
    where similarity >= {{ var('graph_similarity') }}
    qualify row_number() over (
        partition by claim_id order by similarity desc, feature_id asc
    ) <= {{ var('recovery_features') }}
)

select * from final
