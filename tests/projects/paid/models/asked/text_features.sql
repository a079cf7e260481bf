-- One row per text.
{{ config(materialized='resumable', answer='extract_features(request_key, content)') }}

select
    {{ request_key('extractor', ['content']) }} as request_key,
    content,
from {{ ref('texts') }}
