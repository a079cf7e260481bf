-- One row per recoverable claim with its vector.
{{ config(materialized='resumable', answer="embed_text(request_key, 'query', content)") }}

select distinct
    {{ vector_key('query', 'claim') }} as request_key,
    claim as content,
from {{ ref('field_claims') }}
where is_recoverable
