-- One row per distinct text: the opinions that the extractor found in it. Answers of a model.
{{ config(materialized='resumable', answer='extract_features(request_key, content)', chunk=1024) }}

select distinct
    request_key,
    content,
from {{ ref('feature_requests') }}
