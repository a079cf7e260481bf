-- One row per claim, record, channel, sentence and direction: the reranker's request for the
-- relevance of the sentence to the claim, or to its negation.
with recovery_sentences as (select * from {{ ref('recovery_sentences') }}),

recovery_statements as (select * from {{ ref('recovery_statements') }}),

final as (
    select
        recovery_sentences.claim_id,
        recovery_sentences.record_id,
        recovery_sentences.channel,
        recovery_sentences.evidence_id,
        recovery_statements.direction,
        recovery_statements.statement,
        recovery_sentences.sentence,
        {{ request_key('reranker', ['recovery_statements.statement', 'sentence']) }}
            as request_key,
    from recovery_sentences
    inner join recovery_statements using (claim_id)
)

select * from final
