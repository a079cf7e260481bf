-- One row per step of the construction: how many attempts are left after it.
with attempts as (select * from {{ ref('attempts') }}),

candidates as (select * from {{ ref('candidates') }}),

source_constraints as (select * from {{ ref('source_constraints') }}),

verified_candidates as (select * from {{ ref('verified_candidates') }}),

questions as (select * from {{ ref('questions') }}),

certified_questions as (select * from {{ ref('certified_questions') }}),

final as (
    select
        1 as step_number,
        'attempts' as step,
        count(*) as attempt_count,
    from attempts
    union all
    select
        2 as step_number,
        'with candidates' as step,
        count(distinct attempt_id) as attempt_count,
    from candidates
    union all
    select
        3 as step_number,
        'with source constraints' as step,
        count(distinct attempt_id) as attempt_count,
    from source_constraints
    union all
    select
        4 as step_number,
        'with verified candidates' as step,
        count(distinct attempt_id) as attempt_count,
    from verified_candidates
    union all
    select
        5 as step_number,
        'with a question' as step,
        count(distinct attempt_id) as attempt_count,
    from questions
    union all
    select
        6 as step_number,
        'certified' as step,
        count(*) as attempt_count,
    from certified_questions
)

select * from final
