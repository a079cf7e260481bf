-- Requirements of a released question without evidence on one of its answers, and answers without
-- evidence in a known field.
with qrels as (select * from {{ ref('qrels') }}),

certified_questions as (select * from {{ ref('certified_questions') }}),

evidence as (select * from {{ ref('evidence') }}),

requirements as (
    select
        constraint_status.attempt_id,
        constraint_status.record_id,
        field_claims.claim,
    from {{ ref('constraint_status') }} as constraint_status
    inner join {{ ref('field_claims') }} as field_claims using (claim_id)
    where constraint_status.status in ('known_true', 'recovered')
    union all
    select
        answer_sets.attempt_id,
        answer_sets.record_id,
        if(constraint_parts.is_judged, constraint_parts.claim, source_constraints.claim) as claim,
    from {{ ref('answer_sets') }} as answer_sets
    inner join {{ ref('source_constraints') }} as source_constraints using (attempt_id)
    inner join {{ ref('constraint_parts') }} as constraint_parts using (constraint_id)
),

known_fields as (
    select distinct
        qid,
        record_id,
    from evidence
    where family = 'record_field'
),

final as (
    select
        qrels.qid,
        qrels.record_id,
        requirements.claim,
    from qrels
    inner join certified_questions using (qid)
    inner join requirements using (attempt_id, record_id)
    left join evidence
        on
            qrels.qid = evidence.qid
            and qrels.record_id = evidence.record_id
            and requirements.claim = evidence.claim_summary
    where evidence.qid is null
    union all
    select
        qrels.qid,
        qrels.record_id,
        'any known field' as claim,
    from qrels
    left join known_fields
        on qrels.qid = known_fields.qid and qrels.record_id = known_fields.record_id
    where known_fields.qid is null
)

select * from final
