-- Released strings that are too long, and locators of a type that nobody knows. What the
-- strings may hold is checked on the files themselves (dagster_defs/outputs/validate.py).
with strings as (
    select
        qid,
        unnest([query]) as content,
    from {{ ref('queries') }}
    union all
    select
        qid,
        unnest(record_names) as content,
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
    where length(content) > 1400
    union all
    select
        qid,
        source_locator_type || ' ' || source_locator as content,
    from {{ ref('evidence') }}
    where
        source_locator_type not in (
            'record_field', 'review_id', 'tip_id', 'photo_id_stem', 'geo_operator', 'kg_feature'
        )
)

select * from final
