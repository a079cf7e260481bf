-- One row per claim, record, channel and sentence of the evidence that is compared with the claim
-- and with its negation: the sentences that share most words with the two, where a rare word counts
-- for more than a frequent one.
{%- set longest_piece = 300 %}
{%- set stem_length = 5 %}
with recovery_evidence as (select * from {{ ref('recovery_evidence') }}),

recovery_statements as (select * from {{ ref('recovery_statements') }}),

evidence as (
    select distinct
        claim_id,
        record_id,
        channel,
        evidence_id,
        content,
    from recovery_evidence
    where not is_of_rival
),

-- The first letters of a word stand for all its forms.
contents as (
    select
        content,
        trim(unnest({{ sentence_pieces('content', longest_piece) }}), e' \t\n') as sentence,
    from (select distinct content from evidence) as distinct_contents
),

sentences as (
    select
        sentence,
        unnest(list_distinct(list_transform(
            {{ words('sentence') }}, lambda word: left(word, {{ stem_length }})
        ))) as stem,
    from (select distinct sentence from contents) as distinct_sentences
),

stem_weights as (
    select
        stem,
        round(ln((select count(distinct sentence) from sentences) / count(*)), 4) as weight,
    from sentences
    group by stem
),

claim_stems as (
    select distinct
        claim_id,
        unnest(list_transform(
            {{ words('statement') }}, lambda word: left(word, {{ stem_length }})
        )) as stem,
    from recovery_statements
),

claim_weights as (
    select
        claim_stems.claim_id,
        claim_stems.stem,
        stem_weights.weight,
    from claim_stems
    inner join stem_weights using (stem)
),

sharing as (
    select
        claim_weights.claim_id,
        sentences.sentence,
        round(sum(claim_weights.weight::decimal(9, 4))::double, 4) as shared_weight,
    from claim_weights
    inner join sentences using (stem)
    group by claim_weights.claim_id, sentences.sentence
),

-- The weight of a claim is that of its words which stand in some sentence: no sentence could share
-- the other words.
claim_totals as (
    select
        claim_id,
        sum(weight::decimal(9, 4))::double as claim_weight,
    from claim_weights
    group by claim_id
),

ranked as (
    select distinct
        evidence.claim_id,
        evidence.record_id,
        evidence.channel,
        evidence.evidence_id,
        contents.sentence,
        round(sharing.shared_weight / claim_totals.claim_weight, 4) as overlap,
    from evidence
    inner join contents using (content)
    inner join sharing using (claim_id, sentence)
    inner join claim_totals using (claim_id)
    where sharing.shared_weight >= {{ var('recovery_overlap') }} * claim_totals.claim_weight
),

final as (
    select
        claim_id,
        record_id,
        channel,
        evidence_id,
        sentence,
        overlap,
    from ranked
    qualify row_number() over (
        partition by claim_id, record_id, channel
        order by overlap desc, evidence_id asc, sentence asc
    ) <= {{ var('recovery_sentences') }}
)

select * from final
