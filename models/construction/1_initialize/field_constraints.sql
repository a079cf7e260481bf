-- One row per attempt and relational constraint of F: the constraints of the attempt's first draw
-- in which no constraint repeats the others. An attempt without such a draw has no row.
with constraint_draws as (select * from {{ ref('constraint_draws') }}),

draw_checks as (select * from {{ ref('draw_checks') }}),

first_draws as (
    select
        attempt_id,
        min_by(draw_id, draw_number) as draw_id,
    from draw_checks
    where is_sound
    group by attempt_id
),

final as (
    select
        attempt_id,
        attempt_id || '-f' || position as constraint_id,
        claim_id,
        field,
        operator,
        value,
        tier,
        draw_id,
    from constraint_draws
    where draw_id in (select draw_id from first_draws)
)

select * from final
