-- One row per distinct question with its vector. Answers of a model.
{{ config(
    materialized='resumable', request_key='content_key',
    answer='embed_text(content)'
) }}

select distinct
    {{ request_key('text_embedder', ['question']) }} as content_key,
    question as content,
from {{ ref('questions') }}
