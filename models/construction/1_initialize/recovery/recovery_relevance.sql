-- One row per distinct claim, or negation of one, and sentence that the recovery compares. Answers
-- of a model.
{{ config(materialized='resumable', answer='rerank_text(request_key, statement, sentence)') }}

select distinct
    request_key,
    statement,
    sentence,
from {{ ref('recovery_comparisons') }}
