-- One row per distinct passage, caption, serialized record or shared feature, with its vector.
{{ config(materialized='resumable', answer="embed_text(request_key, 'document', content)") }}

with contents as (
    select content from {{ ref('corpus_passages') }}
    union
    select raw_feature from {{ ref('kg_feature_counts') }} where record_count >= 2
)

select
    {{ vector_key('document', 'content') }} as request_key,
    content,
from contents
