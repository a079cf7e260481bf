-- One row per claim, record and piece of evidence that is shown to the judge: the nearest texts and
-- captions of the record, and the features that it is praised for.
with recovery_pairs as (select * from {{ ref('recovery_pairs') }}),

field_claims as (select * from {{ ref('field_claims') }}),

claim_vectors as (select * from {{ ref('claim_vectors') }}),

entry_vectors as (select * from {{ ref('entry_vectors') }}),

corpus_passages as (select * from {{ ref('corpus_passages') }}),

claim_features as (select * from {{ ref('claim_features') }}),

kg_edges as (select * from {{ ref('kg_edges') }}),

claims as (
    select
        field_claims.claim_id,
        field_claims.claim,
        claim_vectors.vector,
    from field_claims
    inner join claim_vectors
        on {{ vector_key('query', 'field_claims.claim') }} = claim_vectors.request_key
),

similarities as (
    select
        recovery_pairs.claim_id,
        recovery_pairs.record_id,
        claims.claim,
        entry_vectors.entry_id,
        entry_vectors.passage_number,
        entry_vectors.source,
        {{ similarity('claims.vector', 'entry_vectors.vector') }} as similarity,
    from recovery_pairs
    inner join claims on recovery_pairs.claim_id = claims.claim_id
    inner join entry_vectors on recovery_pairs.record_id = entry_vectors.record_id
    where entry_vectors.source in ('text', 'photo')
),

-- A long text is read at its nearest passage.
nearest_passages as (
    select *
    from similarities
    qualify row_number() over (
        partition by claim_id, record_id, entry_id
        order by similarity desc, passage_number asc
    ) = 1
),

nearest_entries as (
    select *
    from nearest_passages
    where similarity >= {{ var('recovery_similarity') }}
    qualify
        row_number() over (
            partition by claim_id, record_id, source order by similarity desc, entry_id asc
        )
        <= if(source = 'text', {{ var('recovery_texts') }}, {{ var('recovery_photos') }})
),

praised_features as (
    select
        recovery_pairs.claim_id,
        recovery_pairs.record_id,
        claims.claim,
        'graph:' || claim_features.feature_id as entry_id,
        'graph' as source,
        claim_features.similarity,
        claim_features.feature as content,
    from recovery_pairs
    inner join claims on recovery_pairs.claim_id = claims.claim_id
    inner join claim_features on recovery_pairs.claim_id = claim_features.claim_id
    inner join kg_edges
        on
            recovery_pairs.record_id = kg_edges.record_id
            and claim_features.feature_id = kg_edges.feature_id
    where
        kg_edges.edge_type = 'record_feature' and kg_edges.polarity = 'positive'
        and kg_edges.confidence >= {{ var('mention_confidence') }}
    qualify row_number() over (
        partition by recovery_pairs.claim_id, recovery_pairs.record_id
        order by claim_features.similarity desc, claim_features.feature_id asc
    ) = 1
),

evidence as (
    select
        nearest_entries.* exclude (passage_number),
        corpus_passages.content,
    from nearest_entries
    inner join corpus_passages using (entry_id, passage_number)
    union all
    select * from praised_features
),

final as (
    select
        claim_id,
        record_id,
        entry_id as evidence_id,
        source as channel,
        similarity,
        claim,
        content,
        {{ judge_key('support', 'source', 'claim', 'content', 'entry_id') }} as request_key,
    from evidence
)

select * from final
