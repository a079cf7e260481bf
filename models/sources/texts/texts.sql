-- One row per review or tip of a known record, its text cleaned; empty and repeated ones marked.
{{ config(materialized='staged', inputs=['business', 'review', 'tip']) }}
with stg_records as (
    select * rename (business_id as record_id) from {{ ref('stg_businesses') }}
),

reviews as (select * rename (business_id as record_id) from {{ ref('stg_reviews') }}),

tips as (select * rename (business_id as record_id) from {{ ref('stg_tips') }}),

both_kinds as (
    select
        review_id as text_id,
        record_id,
        user_id,
        'review' as source_kind,
        content,
        stars,
        written_at,
    from reviews
    union all
    select
        tip_id as text_id,
        record_id,
        user_id,
        'tip' as source_kind,
        content,
        null as stars,
        written_at,
    from tips
),

known_texts as (
    select * from both_kinds
    where record_id in (select record_id from stg_records)
),

-- Kept, so that the files are read once.
cleaned_texts as materialized (
    select
        * exclude (content),
        {{ clean_text('content') }} as content,
    from known_texts
),

-- The same words about the same record count once; the first text stands for them.
repeated_texts as (
    select text_id
    from (
        select
            text_id,
            record_id,
            written_at,
            md5(content) as content_hash,
        from cleaned_texts
    ) as hashed_texts
    qualify row_number() over (
        partition by record_id, content_hash order by written_at nulls last, text_id
    ) > 1
),

final as (
    select
        text_id,
        record_id,
        user_id,
        source_kind,
        content,
        stars,
        written_at,
        content = '' as is_empty,
        text_id in (select text_id from repeated_texts) as is_duplicate,
    from cleaned_texts
)

select * from final
