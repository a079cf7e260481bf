-- One row per attempt, verified candidate and item of its texts and photos that is read against the
-- question: the ones nearest to the question.
with verified_candidates as (select * from {{ ref('verified_candidates') }}),

questions as (select * from {{ ref('questions') }}),

question_vectors as (select * from {{ ref('question_vectors') }}),

entry_vectors as (select * from {{ ref('entry_vectors') }}),

corpus_entries as (select * from {{ ref('corpus_entries') }}),

retrieved as (
    select
        verified_candidates.attempt_id,
        verified_candidates.record_id,
        entry_vectors.entry_id,
        entry_vectors.source,
    from verified_candidates
    inner join question_vectors on verified_candidates.attempt_id = question_vectors.attempt_id
    inner join entry_vectors on verified_candidates.record_id = entry_vectors.record_id
    where entry_vectors.source in ('text', 'photo')
    qualify row_number() over (
        partition by
            verified_candidates.attempt_id, verified_candidates.record_id, entry_vectors.source
        order by
            {{ similarity('question_vectors.vector', 'entry_vectors.vector') }} desc,
            entry_vectors.entry_id asc
    ) <= {{ var('contradiction_items') }}
),

final as (
    select
        retrieved.attempt_id,
        retrieved.record_id,
        retrieved.source as channel,
        retrieved.entry_id as evidence_id,
        questions.requirement as claim,
        corpus_entries.content,
        {{ judge_key(
            "'contradiction'", 'retrieved.source', 'questions.requirement',
            'corpus_entries.content', 'retrieved.entry_id'
        ) }} as request_key,
    from retrieved
    inner join questions on retrieved.attempt_id = questions.attempt_id
    inner join corpus_entries on retrieved.entry_id = corpus_entries.entry_id
)

select * from final
