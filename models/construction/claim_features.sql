-- One row per recoverable claim and graph feature that is near it.
with field_claims as (select * from {{ ref('field_claims') }}),

claim_vectors as (select * from {{ ref('claim_vectors') }}),

content_vectors as (select * from {{ ref('content_vectors') }}),

kg_features as (select * from {{ ref('kg_features') }}),

final as (
    select
        field_claims.claim_id,
        kg_features.feature_id,
        kg_features.feature,
        round(array_inner_product(claim_vectors.vector, content_vectors.vector), 4) as similarity,
    from field_claims
    inner join claim_vectors
        on {{ request_key('text_embedder', ['field_claims.claim']) }} = claim_vectors.content_key
    cross join kg_features
    inner join content_vectors
        on
            {{ request_key('text_embedder', ['kg_features.feature']) }}
            = content_vectors.content_key
    where
        array_inner_product(claim_vectors.vector, content_vectors.vector)
        >= {{ var('graph_similarity') }}
    qualify row_number() over (
        partition by field_claims.claim_id
        order by
            round(array_inner_product(claim_vectors.vector, content_vectors.vector), 4) desc,
            kg_features.feature_id asc
    ) <= {{ var('recovery_features') }}
)

select * from final
