-- Answers without a yes for some part of some constraint from the sources of their question.
with answer_sets as (select * from {{ ref('answer_sets') }}),

source_constraints as (select * from {{ ref('source_constraints') }}),

constraint_parts as (select * from {{ ref('constraint_parts') }}),

support as (select * from {{ ref('support') }}),

final as (
    select
        answer_sets.qid,
        answer_sets.record_id,
        source_constraints.constraint_id,
        constraint_parts.part,
    from answer_sets
    inner join source_constraints on answer_sets.attempt_id = source_constraints.attempt_id
    left join constraint_parts
        on source_constraints.constraint_id = constraint_parts.constraint_id
    where
        not exists (
            select 1 from support
            where
                support.constraint_id = constraint_parts.constraint_id
                and support.part = constraint_parts.part
                and support.record_id = answer_sets.record_id
                and support.verdict = 'yes'
        )
)

select * from final
