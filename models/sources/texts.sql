-- One row per review or tip of a known record, with something in it.
with records as (select * from {{ ref('records') }}),

reviews as (select * from {{ ref('stg_reviews') }}),

tips as (select * from {{ ref('stg_tips') }}),

both_kinds as (
    select
        review_id as text_id,
        business_id as record_id,
        user_id,
        'review' as source_kind,
        content,
        stars,
        written_at,
    from reviews
    union all
    select
        tip_id as text_id,
        business_id as record_id,
        user_id,
        'tip' as source_kind,
        content,
        null as stars,
        written_at,
    from tips
),

final as (
    select
        text_id,
        record_id,
        user_id,
        source_kind,
        trim(content) as content,
        stars,
        written_at,
    from both_kinds
    where
        record_id in (select record_id from records)
        and trim(content) != ''
)

select * from final
