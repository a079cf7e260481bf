with evidence as (
    select qid, record_id, list({
        'family': family, 'claim_summary': claim_summary, 'source_locator_type': source_locator_type,
        'source_locator': source_locator, 'confidence': confidence
    }) as evidence,
    from {{ ref('evidence') }} group by all
)

select questions.qid, questions.subset, questions.question, list({
    'record_id': record_id, 'name': places.name, 'evidence': evidence.evidence
} order by rank) as answers,
from {{ ref('certified_questions') }} as questions
inner join {{ ref('answer_sets') }} using (qid)
inner join {{ ref('places') }} as places using (record_id)
inner join evidence using (qid, record_id)
group by all
