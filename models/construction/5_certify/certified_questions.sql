-- One row per certified question: the first attempt of each slot that came through every step.
with attempt_outcomes as (select * from {{ ref('attempt_outcomes') }}),

questions as (select * from {{ ref('questions') }}),

final as (
    select
        attempt_outcomes.slot_id as qid,
        attempt_outcomes.attempt_id,
        attempt_outcomes.subset,
        attempt_outcomes.question,
        attempt_outcomes.answer_count,
        questions.vector_key,
    from attempt_outcomes
    inner join questions using (attempt_id)
    where attempt_outcomes.is_certified
)

select * from final
