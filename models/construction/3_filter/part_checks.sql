-- One row per part of a constraint, candidate and check of the part in some channel. Parts of the
-- kind `nearest` are left out: they are checked among the records that meet every other part.
with support_evidence as (select * from {{ ref('support_evidence') }}),

support_judgements as (select * from {{ ref('support_judgements') }}),

spatial_checks as (select * from {{ ref('spatial_checks') }}),

graph_checks as (select * from {{ ref('graph_checks') }}),

judged_checks as (
    select
        support_evidence.attempt_id,
        support_evidence.constraint_id,
        support_evidence.part_id,
        support_evidence.part_kind,
        support_evidence.record_id,
        support_evidence.channel,
        support_evidence.evidence_id,
        support_evidence.source_id,
        null as feature_id,
        null as distance_km,
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
        part_id,
        part_kind,
        record_id,
        'spatial' as channel,
        null as evidence_id,
        null as source_id,
        null as feature_id,
        round(distance_km, 3) as distance_km,
        if(is_met, 'yes', 'no') as verdict,
        if(is_met, 1.0, 0.0) as confidence,
    from spatial_checks
    where part_kind != 'nearest'
    union all
    select
        attempt_id,
        constraint_id,
        part_id,
        part_kind,
        record_id,
        'graph' as channel,
        null as evidence_id,
        null as source_id,
        feature_id,
        null as distance_km,
        case when is_open then 'unresolved' when is_met then 'yes' else 'no' end as verdict,
        if(is_met, confidence, 0.0) as confidence,
    from graph_checks
)

select * from final
