-- One row per distinct set of constraints that was given to the writer. Answers of a model.
{{ config(materialized='resumable', answer='write_question(request_key, spec)') }}

select distinct
    request_key,
    spec,
from {{ ref('question_specs') }}
