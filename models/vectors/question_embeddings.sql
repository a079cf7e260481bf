-- One row per distinct question with its vector. Answers of a model.
{{ config(materialized='resumable', answer="embed_text(request_key, 'query', content)") }}

select distinct
    vector_key as request_key,
    question as content,
from {{ evaluated('questions', 'imported_questions') }}
