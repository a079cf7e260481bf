-- One row per feature string that is said of several records, with its vector. Answers of a model.
{{ config(materialized='resumable', answer="embed_text(request_key, 'document', content)") }}

select
    vector_key as request_key,
    raw_feature as content,
from {{ ref('kg_feature_counts') }}
where record_count >= 2
