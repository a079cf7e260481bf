-- One row per answer and piece of evidence that the answer meets one requirement of its question.
-- Claims are the benchmark's own sentences; a source is named by its locator and never quoted.
with queries as (select * from {{ ref('queries') }}),

certified_questions as (select * from {{ ref('certified_questions') }}),

answer_sets as (select * from {{ ref('answer_sets') }}),

field_constraints as (select * from {{ ref('field_constraints') }}),

field_claims as (select * from {{ ref('field_claims') }}),

constraint_status as (select * from {{ ref('constraint_status') }}),

recovered_values as (select * from {{ ref('recovered_values') }}),

source_constraints as (select * from {{ ref('source_constraints') }}),

constraint_parts as (select * from {{ ref('constraint_parts') }}),

support as (select * from {{ ref('support') }}),

sources as (select * from {{ ref('sources') }}),

texts as (select * from {{ ref('texts') }}),

photos as (select * from {{ ref('photos') }}),

kg_features as (select * from {{ ref('kg_features') }}),

released_answers as (
    select
        queries.qid,
        certified_questions.attempt_id,
        answer_sets.record_id,
    from queries
    inner join certified_questions using (qid)
    inner join answer_sets using (qid)
),

answer_fields as (
    select
        released_answers.qid,
        released_answers.record_id,
        field_constraints.claim_id,
        field_constraints.field,
        field_constraints.operator,
        field_constraints.value,
        field_claims.claim,
        constraint_status.status,
    from released_answers
    inner join constraint_status using (attempt_id, record_id)
    inner join field_constraints using (attempt_id, constraint_id)
    inner join field_claims on field_constraints.claim_id = field_claims.claim_id
),

known_fields as (
    select
        qid,
        record_id,
        'passes' as support_status,
        claim,
        'fields' as wanted_source,
        'fields' as channel,
        field as rule,
        null as source_id,
        null as feature_id,
        null as verification_method,
        1.0 as confidence,
        to_json({'operator': operator, 'value': value}) as details,
    from answer_fields
    where status = 'known_true'
),

recovered_fields as (
    select
        answer_fields.qid,
        answer_fields.record_id,
        'supports' as support_status,
        answer_fields.claim,
        recovered_values.channel as wanted_source,
        recovered_values.channel,
        null as rule,
        recovered_values.source_id,
        if(recovered_values.channel = 'graph', recovered_values.source_id, null) as feature_id,
        'missing_value_recovery' as verification_method,
        recovered_values.probability as confidence,
        to_json({
            'field': answer_fields.field,
            'operator': answer_fields.operator,
            'value': answer_fields.value
        }) as details,
    from answer_fields
    inner join recovered_values using (claim_id, record_id)
    where answer_fields.status = 'recovered'
),

supported_parts as (
    select
        released_answers.qid,
        released_answers.record_id,
        constraint_parts.source,
        constraint_parts.part_kind,
        constraint_parts.radius_km,
        constraint_parts.sector,
        -- What only a rule can check is said by the claim of the whole constraint.
        if(constraint_parts.is_judged, constraint_parts.claim, source_constraints.claim) as claim,
        support.channel,
        support.source_id,
        support.feature_id,
        support.distance_km,
        support.confidence,
    from released_answers
    inner join support
        on
            released_answers.attempt_id = support.attempt_id
            and released_answers.record_id = support.record_id
    inner join source_constraints on support.constraint_id = source_constraints.constraint_id
    inner join constraint_parts on support.part_id = constraint_parts.part_id
    where support.verdict = 'yes'
),

met_constraints as (
    select
        qid,
        record_id,
        if(channel = 'spatial' or part_kind = 'avoid', 'passes', 'supports') as support_status,
        claim,
        source as wanted_source,
        channel,
        if(channel = 'spatial', part_kind, null) as rule,
        source_id,
        feature_id,
        null as verification_method,
        confidence,
        case
            when channel = 'spatial'
                then to_json({
                    'radius_km': radius_km, 'sector': sector, 'distance_km': distance_km
                })
            when part_kind = 'avoid' then to_json({'finding': 'the graph holds no criticism'})
            else to_json({'constraint_source': source, 'checked_on': channel})
        end as details,
    from supported_parts
),

pieces as (
    select * from known_fields
    union all
    select * from recovered_fields
    union all
    select * from met_constraints
),

located_pieces as (
    select
        pieces.qid,
        pieces.record_id,
        pieces.support_status,
        pieces.claim,
        pieces.confidence,
        pieces.details,
        if(pieces.wanted_source = pieces.channel, sources.family, 'cross_modal') as family,
        coalesce(pieces.verification_method, sources.verification_method) as verification_method,
        -- A text is a review or a tip.
        coalesce(sources.locator_type, texts.source_kind || '_id') as locator_type,
        case pieces.channel
            when 'text' then texts.text_id
            when 'photo' then {{ photo_stem('photos.photo_id') }}
            when 'graph' then kg_features.feature
            else pieces.rule
        end as locator,
    from pieces
    inner join sources on pieces.channel = sources.source
    left join texts on pieces.channel = 'text' and pieces.source_id = texts.text_id
    left join photos on pieces.channel = 'photo' and pieces.source_id = photos.photo_id
    left join kg_features on pieces.feature_id = kg_features.feature_id
),

final as (
    select
        qid,
        record_id,
        family,
        support_status,
        claim as claim_summary,
        locator_type as source_locator_type,
        locator as source_locator,
        verification_method,
        round(max(confidence)::double, 4) as confidence,
        false as raw_content_released,
        min(details::varchar)::json as details,
    from located_pieces
    group by
        qid, record_id, family, support_status, claim, locator_type, locator, verification_method
)

select * from final
