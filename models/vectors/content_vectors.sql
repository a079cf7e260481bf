-- One row per distinct passage, caption, serialized record or shared feature, with its vector.
{{ config(
    materialized='resumable', request_key='content_key',
    answer='embed_text(content)'
) }}

with contents as (
    select content from {{ ref('corpus_passages') }}
    union
    select raw_feature from {{ ref('kg_feature_counts') }} where record_count >= 2
)

select
    {{ request_key('text_embedder', ['content']) }} as content_key,
    content,
from contents
