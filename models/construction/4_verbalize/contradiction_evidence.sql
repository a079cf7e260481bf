-- One row per attempt, verified candidate and item of its texts and photos that is read against the
-- question: the ones nearest to the question.
with verified_candidates as (select * from {{ ref('verified_candidates') }}),

questions as (select * from {{ ref('questions') }}),

question_embeddings as (select * from {{ ref('question_embeddings') }}),

entry_vectors as (select * from {{ ref('entry_vectors') }}),

corpus_passages as (select * from {{ ref('corpus_passages') }}),

similarities as (
    select
        verified_candidates.attempt_id,
        verified_candidates.record_id,
        entry_vectors.entry_id,
        entry_vectors.passage_number,
        entry_vectors.source,
        {{ similarity('question_embeddings.vector', 'entry_vectors.vector') }} as similarity,
    from verified_candidates
    inner join questions on verified_candidates.attempt_id = questions.attempt_id
    inner join question_embeddings on questions.vector_key = question_embeddings.request_key
    inner join entry_vectors on verified_candidates.record_id = entry_vectors.record_id
    where entry_vectors.source in ('text', 'photo')
),

-- A long text is read at its nearest passage.
nearest_passages as (
    {{ nearest(
        'similarities', query=['attempt_id', 'record_id', 'entry_id'], key='passage_number'
    ) }}
),

retrieved as (
    {{ nearest(
        'nearest_passages', query=['attempt_id', 'record_id', 'source'], key='entry_id',
        most=var('contradiction_items')
    ) }}
),

final as (
    select
        retrieved.attempt_id,
        retrieved.record_id,
        retrieved.source as channel,
        retrieved.entry_id as evidence_id,
        corpus_passages.source_id,
        questions.requirement as claim,
        corpus_passages.content,
        {{ judge_key(
            'contradiction', 'retrieved.source', 'questions.requirement',
            'corpus_passages.content', 'corpus_passages.source_id'
        ) }} as request_key,
    from retrieved
    inner join questions on retrieved.attempt_id = questions.attempt_id
    inner join corpus_passages using (entry_id, passage_number)
)

select * from final
