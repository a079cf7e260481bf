-- One row per text, feature string as extracted and polarity; the strongest mention counts.
with texts as (select * from {{ ref('texts') }}),

feature_requests as (select * from {{ ref('feature_requests') }}),

text_features as (select * from {{ ref('text_features') }}),

mentions as (
    select
        texts.text_id,
        texts.record_id,
        texts.user_id,
        unnest(text_features.features, recursive := true),
    from texts
    inner join feature_requests using (text_id)
    inner join text_features using (request_key)
    -- What was said before is not said by one more.
    where not texts.is_duplicate
),

final as (
    select
        text_id,
        record_id,
        user_id,
        feature as raw_feature,
        polarity,
        max(confidence) as confidence,
    from mentions
    group by text_id, record_id, user_id, feature, polarity
)

select * from final
