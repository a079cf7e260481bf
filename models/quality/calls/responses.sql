-- One row per request that a model role was ever asked, with what its answer took.
-- The tables of answers are the resumable models of this build. dbt knows the list of models only
-- after it has parsed them, so `ref` cannot name them; the vectors of the collection and of the
-- questions come after all of them. No database is named, because the published file has another
-- name and the view has to work there.
-- depends_on: {{ ref('content_vectors') }}
-- depends_on: {{ ref('question_vectors') }}
{{ config(materialized='view') }}
{%- for step in resumable_models() %}
select
    '{{ step.schema }}.{{ step.name }}' as step,
    '{{ step.name }}' as step_model,
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
from {{ api.Relation.create(schema=step.schema, identifier=step.name) }}
{{ 'union all' if not loop.last }}
{%- endfor %}
