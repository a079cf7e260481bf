-- One row per attempt and block of records in which a record may meet F: those that are known to
-- meet it, and those that none of its constraints contradicts, as bits by record_numbers.place.
with field_constraints as (select * from {{ ref('field_constraints') }}),

draw_checks as (select * from {{ ref('draw_checks') }}),

claim_sets as (select * from {{ ref('claim_sets') }}),

chosen_draws as (
    select *
    from draw_checks
    where draw_id in (select draw_id from field_constraints)
),

chosen_sets as (
    {{ draw_sets('chosen_draws') }}
),

final as (
    select
        chosen_draws.attempt_id,
        chosen_sets.block,
        chosen_sets.met,
        chosen_sets.possible,
    from chosen_sets
    inner join chosen_draws using (draw_id)
    where chosen_sets.possible != {{ no_records() }}
)

select * from final
