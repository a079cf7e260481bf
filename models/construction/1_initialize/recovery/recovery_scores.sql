-- One row per claim and record with a probability: the likelier value, and the best evidence for
-- that value; no evidence where none of it states the value.
with recovery_pairs as (select * from {{ ref('recovery_pairs') }}),

recovery_probabilities as (select * from {{ ref('recovery_probabilities') }}),

field_claims as (select * from {{ ref('field_claims') }}),

recovery_evidence as (select * from {{ ref('recovery_evidence') }}),

recovery_judgements as (select * from {{ ref('recovery_judgements') }}),

recovery_signals as (select * from {{ ref('recovery_signals') }}),

recovery_rivals as (select * from {{ ref('recovery_rivals') }}),

unembedded_statements as (select * from {{ ref('unembedded_statements') }}),

unembedded_records as (select * from {{ ref('unembedded_records') }}),

-- A text that contradicts the negation is not shown as evidence for the claim: it denies the
-- negation, and does not state the claim.
best_evidence as (
    select
        recovery_evidence.claim_id,
        recovery_evidence.record_id,
        recovery_evidence.direction = 'for' as is_true,
        recovery_evidence.channel,
        recovery_evidence.evidence_id,
        recovery_evidence.source_id,
        recovery_judgements.confidence,
    from recovery_evidence
    inner join recovery_judgements using (request_key)
    where
        recovery_judgements.error is null and recovery_judgements.verdict != 'unresolved'
        and not recovery_judgements.is_against
        and recovery_judgements.confidence >= {{ var('recovery_least_confidence') }}
    qualify row_number() over (
        partition by
            recovery_evidence.claim_id, recovery_evidence.record_id, recovery_evidence.direction
        order by
            recovery_judgements.confidence desc, recovery_evidence.similarity desc,
            recovery_evidence.evidence_id asc
    ) = 1
),

-- Claims for which some evidence could not be searched: a sentence of the claim, or the claim of a
-- rival, has no vector.
unsearched_claims as (
    select claim_id from unembedded_statements
    union
    select recovery_rivals.claim_id
    from recovery_rivals
    inner join unembedded_statements on recovery_rivals.rival_id = unembedded_statements.claim_id
    where unembedded_statements.direction = 'for'
),

failures as (
    select
        claim_id,
        record_id,
        sum(failed_count)
        + (claim_id in (select claim_id from unsearched_claims))::integer
        + (record_id in (select record_id from unembedded_records))::integer as failed_count,
    from recovery_signals
    group by claim_id, record_id
),

final as (
    select
        recovery_pairs.claim_id,
        recovery_pairs.record_id,
        field_claims.field,
        recovery_pairs.purpose,
        recovery_pairs.fold,
        recovery_pairs.is_true as known_value,
        recovery_probabilities.probability,
        recovery_probabilities.probability >= 0.5 as is_true,
        (recovery_probabilities.probability >= 0.5) = recovery_pairs.is_true as is_right,
        round(greatest(
            recovery_probabilities.probability, 1 - recovery_probabilities.probability
        ), 4) as confidence,
        best_evidence.channel,
        best_evidence.evidence_id,
        best_evidence.source_id,
        failures.failed_count,
        -- Without evidence, the probability only says what is usual for the field; and a call that
        -- failed might have said the opposite.
        best_evidence.evidence_id is not null and failures.failed_count = 0 as is_usable,
    from recovery_pairs
    inner join field_claims using (claim_id)
    inner join recovery_probabilities using (claim_id, record_id)
    inner join failures using (claim_id, record_id)
    left join best_evidence
        on
            recovery_pairs.claim_id = best_evidence.claim_id
            and recovery_pairs.record_id = best_evidence.record_id
            and (recovery_probabilities.probability >= 0.5) = best_evidence.is_true
)

select * from final
