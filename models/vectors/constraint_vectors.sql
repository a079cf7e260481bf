-- One row per distinct claim of H that texts and captions are searched for, with its vector.
-- Answers of a model.
{{ config(materialized='resumable', answer="embed_text(request_key, 'query', content)") }}

select distinct
    vector_key as request_key,
    claim as content,
from {{ ref('constraint_parts') }}
where is_judged
