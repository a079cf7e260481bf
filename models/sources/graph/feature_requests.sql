-- One row per text that is not empty: the request of the opinions that the extractor finds in it.
-- Texts with the same content share one request.
with texts as (select * from {{ ref('texts') }}),

final as (
    select
        text_id,
        content,
        {{ request_key('extractor', ['content']) }} as request_key,
    from texts
    where not is_empty
)

select * from final
