-- One row per attempt, draw and constraint drawn: one or two categories, one Core field and one or
-- two others, each met by the attempt's seed record. F is one of the draws (field_constraints).
with attempts as (select * from {{ ref('attempts') }}),

field_options as (select * from {{ ref('field_options') }}),

draws as (
    select
        attempts.attempt_id,
        attempts.seed_record_id,
        numbers.draw_number,
        attempts.attempt_id || '-d' || numbers.draw_number as draw_id,
    from attempts, range(1, {{ var('constraint_draws') }} + 1) as numbers (draw_number)
    where attempts.seed_record_id is not null
),

options as (
    select
        draws.draw_id,
        draws.attempt_id,
        draws.draw_number,
        field_options.*,
    from draws
    inner join field_options on draws.seed_record_id = field_options.record_id
),

category_draws as (
    select *
    from options
    where tier = 'category'
    qualify
        row_number() over (
            partition by draw_id
            order by {{ weighted_draw('probability', 'draw_id', 'category', 'value') }}, value
        )
        <= if({{ draw('draw_id', 'second category') }} < {{ var('second_category_share') }}, 2, 1)
),

-- A field has one value in a draw, also where the record meets several rules of the field, such as
-- at least 3.5 stars and at least 4.
drawn_values as (
    select *
    from options
    where tier != 'category'
    qualify row_number() over (
        partition by draw_id, field
        order by
            {{ weighted_draw(
                'probability', 'draw_id', 'value', 'field || operator || value'
            ) }},
            operator, value
    ) = 1
),

field_draws as (
    select *
    from drawn_values
    qualify
        row_number() over (
            partition by draw_id, tier = 'core'
            order by {{ weighted_draw('weight', 'draw_id', 'field', 'field') }}, field
        )
        <= if(
            tier != 'core'
            and {{ draw('draw_id', 'second field') }} < {{ var('second_field_share') }}, 2, 1
        )
),

constraints as (
    select * from category_draws
    union all
    select * from field_draws
),

final as (
    select
        draw_id,
        attempt_id,
        draw_number,
        row_number() over (
            partition by draw_id
            order by
                list_position(['category', 'core', 'high_value', 'supplementary'], tier),
                field, value
        ) as position,
        {{ claim_key('field', 'operator', 'value') }} as claim_id,
        field,
        operator,
        value,
        tier,
        is_wide,
    from constraints
)

select * from final
