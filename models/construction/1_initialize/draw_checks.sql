-- One row per draw of constraints that was looked at: whether each of its constraints excludes a
-- record that the others leave possible. Redraws are looked at only for an attempt whose first draw
-- is not sound.
with constraint_draws as (select * from {{ ref('constraint_draws') }}),

claim_sets as (select * from {{ ref('claim_sets') }}),

draws as (
    select
        draw_id,
        attempt_id,
        draw_number,
        max(claim_id) filter (where position = 1) as claim_1,
        max(claim_id) filter (where position = 2) as claim_2,
        max(claim_id) filter (where position = 3) as claim_3,
        max(claim_id) filter (where position = 4) as claim_4,
        max(claim_id) filter (where position = 5) as claim_5,
        bool_or(is_wide) filter (where position = 1) as is_wide_1,
        bool_or(is_wide) filter (where position = 2) as is_wide_2,
    from constraint_draws
    group by draw_id, attempt_id, draw_number
),

first_draws as (select * from draws where draw_number = 1),

first_checks as (
    {{ sound_draws('first_draws') }}
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
            where not first_checks.is_sound
        )
),

redraw_checks as (
    {{ sound_draws('redraws') }}
),

checks as (
    select * from first_checks
    union all
    select * from redraw_checks
),

final as (
    select
        draws.draw_id,
        draws.attempt_id,
        draws.draw_number,
        checks.is_sound,
    from draws
    inner join checks using (draw_id)
)

select * from final
