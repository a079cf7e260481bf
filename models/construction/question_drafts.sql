-- One row per distinct set of constraints that was given to the writer. Answers of a model.
{{ config(
    materialized='resumable', request_key='request_key', answer='write_question(spec)'
) }}

select distinct
    {{ request_key('writer', ["'question'", 'spec']) }} as request_key,
    spec,
from {{ ref('question_specs') }}
