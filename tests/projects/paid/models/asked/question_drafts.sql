-- One row per third text, once the other two steps are through.
{{ config(materialized='resumable', answer='write_question(request_key, spec)') }}

with specs as (
    select
        to_json({
            'categories': ['cafe'],
            'field_phrases': ['has soup' || number],
            'source_phrases': ['is friendly'],
            'draws': [0.1, 0.3, 0.5, 0.7, 0.9],
        })::varchar as spec,
    from {{ ref('texts') }}
    where
        number % 3 = 0
        and (select count(*) from {{ ref('text_features') }}) > 0
        and (select count(*) from {{ ref('judgements') }}) > 0
)

select
    {{ request_key('writer', ['spec'], task='question') }} as request_key,
    spec,
from specs
