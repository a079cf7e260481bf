-- One row per claim of a text.
{{ config(
    materialized='resumable', answer='judge_text(request_key, task, claim, content)'
) }}

select
    {{ request_key('judge', ['claim', 'content'], task='support') }} as request_key,
    'support' as task,
    claim,
    content,
from {{ ref('texts') }}
