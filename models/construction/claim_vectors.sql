-- One row per recoverable claim with its vector.
{{ config(
    materialized='resumable', request_key='content_key',
    answer='embed_text(content)'
) }}

select distinct
    {{ request_key('text_embedder', ['claim']) }} as content_key,
    claim as content,
from {{ ref('field_claims') }}
where is_recoverable
