-- One row per recoverable claim, direction and graph feature that is among the nearest to the
-- claim, or to its negation.
with recovery_statements as (select * from {{ ref('recovery_statements') }}),

claim_vectors as (select * from {{ ref('claim_vectors') }}),

feature_vectors as (select * from {{ ref('feature_vectors') }}),

kg_features as (select * from {{ ref('kg_features') }}),

statements as (
    select
        recovery_statements.claim_id,
        recovery_statements.direction,
        claim_vectors.vector,
    from recovery_statements
    inner join claim_vectors on recovery_statements.vector_key = claim_vectors.request_key
),

features as (
    select
        kg_features.feature_id,
        kg_features.feature,
        feature_vectors.vector,
    from kg_features
    inner join feature_vectors on kg_features.vector_key = feature_vectors.request_key
),

similarities as (
    select
        statements.claim_id,
        statements.direction,
        features.feature_id,
        features.feature,
        {{ similarity('statements.vector', 'features.vector') }} as similarity,
    from statements
    cross join features
),

nearest_features as (
    {{ nearest(
        'similarities', query=['claim_id', 'direction'], key='feature_id',
        most=var('recovery_features'), least=var('graph_similarity')
    ) }}
),

final as (
    select
        claim_id,
        direction,
        feature_id,
        feature,
        similarity,
    from nearest_features
)

select * from final
