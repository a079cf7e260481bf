-- Certified questions that ask the same as another: the same constraints on fields and on sources.
with certified_questions as (select * from {{ ref('certified_questions') }}),

field_constraints as (select * from {{ ref('field_constraints') }}),

source_constraints as (select * from {{ ref('source_constraints') }}),

constraints as (
    select
        attempt_id,
        to_json([field, operator, value])::varchar as said,
    from field_constraints
    union all
    select
        attempt_id,
        to_json([source, claim])::varchar as said,
    from source_constraints
),

asked as (
    select
        certified_questions.qid,
        list_sort(list(constraints.said)) as constraints,
    from certified_questions
    inner join constraints using (attempt_id)
    group by certified_questions.qid
),

final as (
    select
        qid,
        constraints,
    from asked
    qualify count(*) over (partition by constraints) > 1
)

select * from final
