-- One row per distinct passage, caption or serialized record, with its vector. Answers of a model.
{{ config(materialized='resumable', answer="embed_text(request_key, 'document', content)") }}

select distinct
    vector_key as request_key,
    content,
from {{ ref('corpus_passages') }}
