-- One row per question, source and record: the record's nearest entry, to the retrieval depth.
-- Vectors hold float16 values: their products are exact in a double, and so is the sum, in any
-- order. The score is that inner product rounded to 4 decimals, as every score that enters.
with question_vectors as (select * from {{ ref('question_vectors') }}),

entry_vectors as (select * from {{ ref('entry_vectors') }}),

wide_questions as (
    select
        qid,
        vector::double[] as vector,
    from question_vectors
),

wide_entries as (
    select
        entry_id,
        record_id,
        source,
        vector::double[] as vector,
    from entry_vectors
    where vector is not null
),

entry_scores as (
    select
        wide_questions.qid,
        wide_entries.source,
        wide_entries.record_id,
        wide_entries.entry_id,
        round(list_inner_product(wide_questions.vector, wide_entries.vector), 4) as score,
    from wide_questions
    cross join wide_entries
),

record_scores as (
    select
        qid,
        source,
        record_id,
        max(score) as score,
        min_by(entry_id, {'descending': -score, 'entry_id': entry_id}) as entry_id,
    from entry_scores
    group by qid, source, record_id
),

final as (
    select
        qid,
        source,
        record_id,
        row_number() over (partition by qid, source order by score desc, record_id asc) as rank,
        score,
        entry_id,
    from record_scores
    qualify rank <= {{ var('retrieval_depth') }}
)

select * from final
