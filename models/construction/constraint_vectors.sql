-- One row per distinct claim of H that texts and photos are searched for, with its vector.
{{ config(
    materialized='resumable', request_key='content_key',
    answer='embed_text(content)'
) }}

select distinct
    {{ request_key('text_embedder', ['claim']) }} as content_key,
    claim as content,
from {{ ref('constraint_parts') }}
where claim is not null
