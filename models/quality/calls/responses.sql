-- One row per request that a model role was ever asked, with what its answer took.
-- The loop only lists the tables of answers: they all end in the same columns. No database is
-- named, because the published file has another name and the view has to work there.
{{ config(materialized='view') }}
{%- set steps = [ref('content_vectors'), ref('question_embeddings')] %}
{%- if not env_var('HETERQA_RELEASE', '') %}
    {%- set steps = steps + [
        ref('text_features'), ref('feature_vectors'), ref('claim_vectors'),
        ref('recovery_judgements'), ref('recovery_relevance'), ref('constraint_drafts'),
        ref('constraint_vectors'), ref('support_judgements'), ref('question_drafts'), ref('contradiction_judgements'),
    ] %}
{%- endif %}
{%- for step in steps %}
select
    '{{ step.schema }}.{{ step.identifier }}' as step,
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
from {{ step.include(database=false) }}
{{ 'union all' if not loop.last }}
{%- endfor %}
