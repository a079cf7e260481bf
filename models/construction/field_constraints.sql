-- One row per attempt and relational constraint of F: one or two categories, one Core field and one
-- or two others, each met by the attempt's seed record.
with attempts as (select * from {{ ref('attempts') }}),

record_categories as (select * from {{ ref('record_categories') }}),

field_options as (select * from {{ ref('field_options') }}),

category_sizes as (
    select
        category,
        count(*) as record_count,
    from record_categories
    group by category
),

-- Wide categories are likelier, so that a question is about many records and not about one.
category_draws as (
    select
        attempts.attempt_id,
        'categories' as field,
        'contains' as operator,
        record_categories.category as value,
        'category' as tier,
    from attempts
    inner join record_categories on attempts.seed_record_id = record_categories.record_id
    inner join category_sizes on record_categories.category = category_sizes.category
    qualify
        row_number() over (
            partition by attempts.attempt_id
            order by
                {{ weighted_draw(
                    'ln(1 + category_sizes.record_count)', 'attempts.attempt_id', 'category',
                    'record_categories.category'
                ) }},
                record_categories.category
        )
        <= if(
            {{ draw('attempts.attempt_id', 'second category') }}
            < {{ var('second_category_share') }}, 2, 1
        )
),

drawn_values as (
    select
        attempts.attempt_id,
        field_options.*,
    from attempts
    inner join field_options on attempts.seed_record_id = field_options.record_id
    qualify row_number() over (
        partition by attempts.attempt_id, field_options.field
        order by
            {{ weighted_draw(
                'field_options.probability', 'attempts.attempt_id', 'value',
                "field_options.field || field_options.operator || field_options.value"
            ) }},
            field_options.operator, field_options.value
    ) = 1
),

field_draws as (
    select
        attempt_id,
        field,
        operator,
        value,
        tier,
    from drawn_values
    qualify
        row_number() over (
            partition by attempt_id, tier = 'core'
            order by {{ weighted_draw('weight', 'attempt_id', 'field', 'field') }}, field
        )
        <= if(
            tier != 'core'
            and {{ draw('attempt_id', 'second field') }} < {{ var('second_field_share') }}, 2, 1
        )
),

constraints as (
    select * from category_draws
    union all
    select * from field_draws
),

final as (
    select
        attempt_id,
        attempt_id || '-f' || row_number() over (
            partition by attempt_id
            order by
                list_position(['category', 'core', 'high_value', 'supplementary'], tier),
                field, value
        ) as constraint_id,
        left(md5(to_json([field, operator, value])::varchar), 16) as claim_id,
        field,
        operator,
        value,
        tier,
    from constraints
)

select * from final
