-- One row per request that a model role was ever asked, with what its answer took.
{{ config(materialized='view') }}
{%- set steps = [ref('content_vectors'), ref('question_embeddings')] %}
{%- if not env_var('HETERQA_RELEASE', '') %}
    {%- set steps = steps + [
        ref('text_features'), ref('feature_vectors'), ref('claim_vectors'),
        ref('recovery_judgements'), ref('constraint_drafts'), ref('constraint_vectors'),
        ref('support_judgements'), ref('question_drafts'), ref('contradiction_judgements'),
    ] %}
{%- endif %}
with responses as (
    {{ responses(steps) }}
),

final as (
    select
        step,
        request_key,
        role,
        model,
        prompt_version,
        input_tokens,
        output_tokens,
        latency_ms,
        cost,
        attempts,
        split_part(error, ':', 1) as reason,
        error,
    from responses
)

select * from final
