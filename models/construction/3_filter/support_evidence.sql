-- One row per part of a constraint, candidate and piece of evidence that is shown to the judge: the
-- nearest texts and captions of the record; for the anchor also what the constraint was made from.
with constraint_parts as (select * from {{ ref('constraint_parts') }}),

judged_candidates as (select * from {{ ref('judged_candidates') }}),

anchors as (select * from {{ ref('anchors') }}),

graph_checks as (select * from {{ ref('graph_checks') }}),

constraint_vectors as (select * from {{ ref('constraint_vectors') }}),

entry_vectors as (select * from {{ ref('entry_vectors') }}),

corpus_passages as (select * from {{ ref('corpus_passages') }}),

-- A feature that the graph already shows needs no reading.
open_parts as (
    select
        constraint_parts.attempt_id,
        constraint_parts.constraint_id,
        constraint_parts.part_id,
        constraint_parts.part_kind,
        constraint_parts.claim,
        constraint_parts.origin_id,
        judged_candidates.record_id,
        constraint_vectors.vector,
    from constraint_parts
    inner join judged_candidates on constraint_parts.attempt_id = judged_candidates.attempt_id
    inner join constraint_vectors
        on constraint_parts.vector_key = constraint_vectors.request_key
    where
        constraint_parts.is_judged
        and (constraint_parts.part_id, judged_candidates.record_id) not in (
            select (part_id, record_id) from graph_checks where is_met
        )
),

similarities as (
    select
        open_parts.attempt_id,
        open_parts.constraint_id,
        open_parts.part_id,
        open_parts.part_kind,
        open_parts.claim,
        open_parts.record_id,
        entry_vectors.entry_id,
        entry_vectors.passage_number,
        entry_vectors.source,
        anchors.record_id is not null and entry_vectors.entry_id = open_parts.origin_id
            as is_origin,
        {{ similarity('open_parts.vector', 'entry_vectors.vector') }} as similarity,
    from open_parts
    inner join entry_vectors on open_parts.record_id = entry_vectors.record_id
    left join anchors
        on
            open_parts.attempt_id = anchors.attempt_id
            and open_parts.record_id = anchors.record_id
    where entry_vectors.source in ('text', 'photo')
),

-- A long text is read at its nearest passage.
nearest_passages as (
    {{ nearest(
        'similarities', query=['part_id', 'record_id', 'entry_id'],
        key='passage_number'
    ) }}
),

nearest_entries as (
    {{ nearest(
        'nearest_passages', query=['part_id', 'record_id', 'source'], key='entry_id',
        most="if(source = 'text', " ~ var('support_texts') ~ ", " ~ var('support_photos') ~ ")",
        least=var('support_similarity'), always='is_origin'
    ) }}
),

final as (
    select
        nearest_entries.attempt_id,
        nearest_entries.constraint_id,
        nearest_entries.part_id,
        nearest_entries.part_kind,
        nearest_entries.record_id,
        nearest_entries.source as channel,
        nearest_entries.entry_id as evidence_id,
        corpus_passages.source_id,
        nearest_entries.similarity,
        nearest_entries.claim,
        corpus_passages.content,
        {{ judge_key(
            'support', 'nearest_entries.source', 'nearest_entries.claim',
            'corpus_passages.content', 'corpus_passages.source_id'
        ) }} as request_key,
    from nearest_entries
    inner join corpus_passages using (entry_id, passage_number)
)

select * from final
