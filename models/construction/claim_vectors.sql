-- One row per sentence that texts and captions are searched for, with its vector: a recoverable
-- claim or the negation of one.
{{ config(materialized='resumable', answer="embed_text(request_key, 'query', content)") }}

with sentences as (
    select unnest([claim, negation]) as content
    from {{ ref('field_claims') }}
    where is_recoverable
)

select distinct
    {{ vector_key('query', 'content') }} as request_key,
    content,
from sentences
