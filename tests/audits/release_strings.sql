-- Released strings that are too long, hold a path or a photo's file name, or locate nothing.
with strings as (
    select
        qid,
        unnest([query]) as content,
    from {{ ref('queries') }}
    union all
    select
        qid,
        unnest(answer_business_names) as content,
    from {{ ref('answers') }}
    union all
    select
        qid,
        unnest([claim_summary, source_locator, details::varchar]) as content,
    from {{ ref('evidence') }}
),

final as (
    select
        qid,
        content,
    from strings
    where
        length(content) > 1400
        or regexp_matches(content, '(^|[\s"=:])/(home|mnt|tmp|root|Users)/')
        or regexp_matches(content, '\w\.(jpg|jpeg|png|webp)\b', 'i')
    union all
    select
        qid,
        source_locator_type || ' ' || source_locator as content,
    from {{ ref('evidence') }}
    where
        source_locator_type not in (
            'record_field', 'review_id', 'tip_id', 'photo_id_stem', 'geo_operator', 'kg_feature'
        )
        or (
            source_locator_type = 'photo_id_stem'
            and not regexp_full_match(source_locator, '[A-Za-z0-9_-]{8,128}')
        )
)

select * from final
