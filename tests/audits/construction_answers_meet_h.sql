-- Answers without a yes for some part of a constraint of their question, or of a question without parts.
with answer_sets as (select * from {{ ref('answer_sets') }}),

constraint_parts as (select * from {{ ref('constraint_parts') }}),

support as (select * from {{ ref('support') }}),

final as (
    select
        answer_sets.qid,
        answer_sets.record_id,
        constraint_parts.constraint_id,
        constraint_parts.part_id,
    from answer_sets
    left join constraint_parts on answer_sets.attempt_id = constraint_parts.attempt_id
    where
        not exists (
            select 1 from support
            where
                support.part_id = constraint_parts.part_id
                and support.record_id = answer_sets.record_id
                and support.verdict = 'yes'
        )
)

select * from final
