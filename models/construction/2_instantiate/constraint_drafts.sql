-- One row per distinct text or caption that was offered to the writer. Answers of a model.
{{ config(
    materialized='resumable', answer='write_constraint(request_key, source, content, avoid)'
) }}

select distinct
    request_key,
    source,
    content,
    avoid,
from {{ ref('draft_requests') }}
