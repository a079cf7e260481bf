-- One row per record with a text that the extractor gave no answer for: whether somebody praises or
-- blames a thing there is not known.
with texts as (select * from {{ ref('texts') }}),

text_features as (select * from {{ ref('text_features') }}),

final as (
    select distinct texts.record_id
    from texts
    inner join text_features
        on {{ request_key('extractor', ['texts.content']) }} = text_features.request_key
    where text_features.error is not null
)

select * from final
