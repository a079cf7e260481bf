-- One row per attempt that is worth a question: what the writer is told, as JSON.
-- Attempts with nothing verified, or with more than could be left at the end, are not worded.
with verified_candidates as (select * from {{ ref('verified_candidates') }}),

field_constraints as (select * from {{ ref('field_constraints') }}),

field_claims as (select * from {{ ref('field_claims') }}),

source_constraints as (select * from {{ ref('source_constraints') }}),

constraint_parts as (select * from {{ ref('constraint_parts') }}),

stg_field_rules as (select * from {{ ref('stg_field_rules') }}),

worth_wording as (
    select attempt_id
    from verified_candidates
    group by attempt_id
    having count(*) <= {{ var('max_verified') }}
),

field_parts as (
    select
        field_constraints.attempt_id,
        list(field_constraints.value order by field_constraints.constraint_id)
            filter (where field_constraints.field = 'categories') as categories,
        list(field_claims.phrase order by field_constraints.constraint_id)
            filter (where field_constraints.field != 'categories') as field_phrases,
        list(field_claims.claim order by field_constraints.constraint_id)
            filter (where field_constraints.tier in ('high_value', 'supplementary')) as claims,
        list_sort(list(field_constraints.claim_id)) as claim_ids,
    from field_constraints
    inner join field_claims using (claim_id)
    group by field_constraints.attempt_id
),

source_phrases as (
    select
        attempt_id,
        list(phrase order by constraint_id) as source_phrases,
        list_sort(list([source, claim])) as source_claims,
    from source_constraints
    group by attempt_id
),

-- The claims that a text could contradict, one a part. Parts without a claim, such as places and
-- avoided features, are left out: no text contradicts them.
source_claims as (
    select
        attempt_id,
        list(claim order by constraint_id, claim) as claims,
    from constraint_parts
    where claim is not null
    group by attempt_id
),

specs as (
    select
        field_parts.attempt_id,
        to_json({
            -- What a record is called, as the collection's catalogue says.
            'noun': coalesce((select min(phrase) from stg_field_rules where field = '*'), 'place'),
            'categories': field_parts.categories,
            'field_phrases': field_parts.field_phrases,
            'source_phrases': source_phrases.source_phrases,
            'draws': [
                {%- for purpose in ['frame', 'order', 'connector', 'head', 'ending'] %}
                round({{ draw('field_parts.attempt_id', 'question ' ~ purpose) }}, 6),
                {%- endfor %}
            ]
        })::varchar as spec,
        list_concat(field_parts.claims, coalesce(source_claims.claims, [])) as claims,
        -- The same F and H are the same question, however it is worded.
        md5(to_json([
            to_json(field_parts.claim_ids), to_json(source_phrases.source_claims)
        ])::varchar) as signature,
    from field_parts
    inner join source_phrases on field_parts.attempt_id = source_phrases.attempt_id
    left join source_claims on field_parts.attempt_id = source_claims.attempt_id
    where field_parts.attempt_id in (select attempt_id from worth_wording)
),

final as (
    select
        attempt_id,
        spec,
        {{ request_key('writer', ['spec'], task='question') }} as request_key,
        claims,
        signature,
    from specs
)

select * from final
