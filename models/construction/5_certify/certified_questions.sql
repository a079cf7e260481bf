-- One row per certified question: the first attempt of each slot that came through every step.
with attempt_outcomes as (select * from {{ ref('attempt_outcomes') }}),

final as (
    select
        slot_id as qid,
        attempt_id,
        subset,
        question,
        answer_count,
    from attempt_outcomes
    where reason is null
)

select * from final
