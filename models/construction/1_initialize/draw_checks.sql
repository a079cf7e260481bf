-- One row per draw of constraints that was looked at: its constraints, and whether each of them
-- excludes a record that the others leave possible. Redraws are for attempts whose first draw does
-- not do.
with constraint_draws as (select * from {{ ref('constraint_draws') }}),

claim_sets as (select * from {{ ref('claim_sets') }}),

draws as (
    select
        draw_id,
        attempt_id,
        draw_number,
        {%- for position in range(1, 6) %}
        max(claim_id) filter (where position = {{ position }}) as claim_{{ position }},
        {%- endfor %}
        -- A category that nearly all records have is the word for them, and need not exclude any.
        bit_or(if(is_wide, 0, 1 << (position - 1)::integer)) as required,
    from constraint_draws
    group by draw_id, attempt_id, draw_number
),

first_draws as (select * from draws where draw_number = 1),

first_sets as (
    {{ draw_sets('first_draws') }}
),

first_checks as (
    select
        draw_id,
        bit_or(excluding) as excluding,
    from first_sets
    group by draw_id
),

redraws as (
    select *
    from draws
    where
        draw_number > 1
        and attempt_id in (
            select first_draws.attempt_id
            from first_draws
            inner join first_checks using (draw_id)
            where first_checks.excluding & first_draws.required != first_draws.required
        )
),

redrawn_sets as (
    {{ draw_sets('redraws') }}
),

redrawn_checks as (
    select
        draw_id,
        bit_or(excluding) as excluding,
    from redrawn_sets
    group by draw_id
),

checks as (
    select * from first_checks
    union all
    select * from redrawn_checks
),

final as (
    select
        draws.draw_id,
        draws.attempt_id,
        draws.draw_number,
        {%- for position in range(1, 6) %}
        draws.claim_{{ position }},
        {%- endfor %}
        checks.excluding & draws.required = draws.required as is_sound,
    from draws
    inner join checks using (draw_id)
)

select * from final
