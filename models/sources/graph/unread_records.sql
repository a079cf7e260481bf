-- One row per record with a text that the extractor gave no answer for: whether somebody praises or
-- blames a thing there is not known.
with texts as (select * from {{ ref('texts') }}),

feature_requests as (select * from {{ ref('feature_requests') }}),

text_features as (select * from {{ ref('text_features') }}),

final as (
    select distinct texts.record_id
    from texts
    inner join feature_requests using (text_id)
    inner join text_features using (request_key)
    where text_features.error is not null
)

select * from final
