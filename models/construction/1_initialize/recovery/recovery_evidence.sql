-- One row per claim, record, direction, statement and piece of evidence that is shown to the judge:
-- for each direction the nearest texts and captions of the record, and the nearest feature that the
-- record is praised for. Evidence near a rival of the claim is judged as evidence for the rival,
-- and that counts against the claim.
with recovery_pairs as (select * from {{ ref('recovery_pairs') }}),

recovery_statements as (select * from {{ ref('recovery_statements') }}),

recovery_rivals as (select * from {{ ref('recovery_rivals') }}),

recovery_hits as (select * from {{ ref('recovery_hits') }}),

corpus_passages as (select * from {{ ref('corpus_passages') }}),

claim_features as (select * from {{ ref('claim_features') }}),

kg_edges as (select * from {{ ref('kg_edges') }}),

nearest_entries as (
    {{ nearest(
        'recovery_hits', query=['claim_id', 'record_id', 'direction', 'source'], key='entry_id',
        most="if(source = 'text', " ~ var('recovery_texts') ~ ", " ~ var('recovery_photos') ~ ")",
        least=var('recovery_similarity')
    ) }}
),

praised_features as (
    select
        recovery_pairs.claim_id,
        recovery_pairs.record_id,
        claim_features.direction,
        claim_features.feature_id,
        claim_features.feature,
        claim_features.similarity,
    from recovery_pairs
    inner join claim_features on recovery_pairs.claim_id = claim_features.claim_id
    inner join kg_edges
        on
            recovery_pairs.record_id = kg_edges.record_id
            and claim_features.feature_id = kg_edges.feature_id
    where
        kg_edges.edge_type = 'record_feature' and kg_edges.polarity = 'positive'
        and kg_edges.confidence >= {{ var('mention_confidence') }}
),

nearest_features as (
    {{ nearest(
        'praised_features', query=['claim_id', 'record_id', 'direction'], key='feature_id'
    ) }}
),

found as (
    select
        nearest_entries.claim_id,
        nearest_entries.record_id,
        nearest_entries.direction,
        nearest_entries.entry_id as evidence_id,
        nearest_entries.source as channel,
        corpus_passages.source_id,
        nearest_entries.similarity,
        corpus_passages.content,
    from nearest_entries
    inner join corpus_passages using (entry_id, passage_number)
    union all
    select
        claim_id,
        record_id,
        direction,
        'graph:' || feature_id as evidence_id,
        'graph' as channel,
        feature_id as source_id,
        similarity,
        feature as content,
    from nearest_features
),

stated as (
    select
        found.*,
        recovery_statements.statement,
    from found
    inner join recovery_statements using (claim_id, direction)
),

evidence as (
    select
        *,
        false as is_of_rival,
    from stated
    union all
    select
        stated.* replace (recovery_rivals.claim_id as claim_id, 'against' as direction),
        true as is_of_rival,
    from stated
    inner join recovery_rivals on stated.claim_id = recovery_rivals.rival_id
    where stated.direction = 'for'
),

final as (
    select
        evidence.claim_id,
        evidence.record_id,
        evidence.direction,
        evidence.statement as claim,
        evidence.is_of_rival,
        evidence.evidence_id,
        evidence.channel,
        evidence.source_id,
        evidence.similarity,
        evidence.content,
        {{ judge_key(
            'support', 'evidence.channel', 'evidence.statement', 'evidence.content',
            'evidence.source_id'
        ) }} as request_key,
    from evidence
    inner join recovery_pairs using (claim_id, record_id)
    where recovery_pairs.purpose != 'compared'
    -- Where the rival's sentence is the claim's negation, both have found the same evidence.
    qualify row_number() over (
        partition by
            evidence.claim_id, evidence.record_id, evidence.direction, evidence.statement,
            evidence.evidence_id
        order by evidence.is_of_rival
    ) = 1
)

select * from final
