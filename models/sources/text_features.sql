-- One row per distinct text: the opinions that the extractor found in it. Answers of a model.
{{ config(
    materialized='resumable', request_key='content_key', answer='extract_features(content)',
    chunk=1024
) }}

select distinct
    {{ request_key('extractor', ['content']) }} as content_key,
    content,
from {{ ref('texts') }}
where not is_empty
