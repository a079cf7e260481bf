-- One row per distinct sentence that the recovery searches texts and captions for, with its vector:
-- a recoverable claim, or the negation of one. Answers of a model.
{{ config(materialized='resumable', answer="embed_text(request_key, 'query', content)") }}

with recovery_statements as (select * from {{ ref('recovery_statements') }})

select distinct
    vector_key as request_key,
    statement as content,
from recovery_statements
