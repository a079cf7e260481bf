-- One row per question: its answers by rank, each with the evidence of every claim.
with questions as (
    select * from {{ evaluated('certified_questions', 'imported_questions') }}
),

answer_sets as (select * from {{ evaluated('answer_sets', 'imported_answers') }}),

records as (select * from {{ ref('records') }}),

evidence as (select * from {{ ref('evidence') }}),

evidence_rows as (
    select
        qid,
        record_id,
        {
            'family': family,
            'claim_summary': claim_summary,
            'source_locator_type': source_locator_type,
            'source_locator': source_locator,
            'confidence': confidence
        } as evidence_row,
    from evidence
),

answer_evidence as (
    select
        qid,
        record_id,
        list(evidence_row order by evidence_row) as evidence,
    from evidence_rows
    group by qid, record_id
),

answers as (
    select
        answer_sets.qid,
        answer_sets.record_id,
        answer_sets.rank,
        {
            'record_id': records.record_id,
            'name': records.name,
            'evidence': coalesce(answer_evidence.evidence, [])
        } as answer,
    from answer_sets
    inner join records using (record_id)
    left join answer_evidence
        on
            answer_sets.qid = answer_evidence.qid
            and answer_sets.record_id = answer_evidence.record_id
),

final as (
    select
        questions.qid,
        questions.subset,
        questions.question,
        list(answers.answer order by answers.rank, answers.record_id) as answers,
    from questions
    inner join answers using (qid)
    group by questions.qid, questions.subset, questions.question
)

select * from final
