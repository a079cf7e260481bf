-- One row per part of a constraint, candidate and check of it, whatever the channel; all but
-- nearest, which is taken among the records that meet everything else.
with support_evidence as (select * from {{ ref('support_evidence') }}),

support_judgements as (select * from {{ ref('support_judgements') }}),

spatial_checks as (select * from {{ ref('spatial_checks') }}),

graph_checks as (select * from {{ ref('graph_checks') }}),

judged_checks as (
    select
        support_evidence.attempt_id,
        support_evidence.constraint_id,
        support_evidence.part,
        support_evidence.record_id,
        support_evidence.channel,
        support_evidence.evidence_id,
        case
            when support_judgements.error is not null then 'unresolved'
            when
                support_judgements.verdict = 'yes'
                and support_judgements.confidence < {{ var('judge_confidence') }} then 'no'
            else coalesce(support_judgements.verdict, 'unresolved')
        end as verdict,
        support_judgements.confidence,
    from support_evidence
    left join support_judgements using (request_key)
),

final as (
    select * from judged_checks
    union all
    select
        attempt_id,
        constraint_id,
        part,
        record_id,
        'spatial' as channel,
        'distance_km=' || coalesce(round(distance_km, 3)::varchar, 'unknown') as evidence_id,
        if(is_met, 'yes', 'no') as verdict,
        if(is_met, 1.0, 0.0) as confidence,
    from spatial_checks
    where part != 'nearest'
    union all
    select
        attempt_id,
        constraint_id,
        part,
        record_id,
        'graph' as channel,
        evidence as evidence_id,
        case when is_open then 'unresolved' when is_met then 'yes' else 'no' end as verdict,
        if(is_met, confidence, 0.0) as confidence,
    from graph_checks
)

select * from final
