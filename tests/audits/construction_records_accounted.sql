-- Candidates of certified questions that are neither an answer nor dropped, or both, and attempts
-- that are neither certified nor dropped, or both: nothing leaves without an event.
with attempts as (select * from {{ ref('attempts') }}),

candidates as (select * from {{ ref('candidates') }}),

answer_sets as (select * from {{ ref('answer_sets') }}),

certified_questions as (select * from {{ ref('certified_questions') }}),

drop_events as (select * from {{ ref('drop_events') }}),

places as (
    select
        candidates.attempt_id,
        candidates.record_id,
        (candidates.attempt_id, candidates.record_id) in (
            select (attempt_id, record_id) from answer_sets
        ) as is_kept,
        (candidates.attempt_id, candidates.record_id) in (
            select (attempt_id, record_id) from drop_events where record_id is not null
        ) as is_dropped,
    from candidates
    inner join certified_questions using (attempt_id)
    union all
    select
        attempt_id,
        null as record_id,
        attempt_id in (select attempt_id from certified_questions) as is_kept,
        attempt_id in (select attempt_id from drop_events where record_id is null) as is_dropped,
    from attempts
),

final as (
    select
        attempt_id,
        record_id,
        is_kept,
        is_dropped,
    from places
    where is_kept = is_dropped
)

select * from final
