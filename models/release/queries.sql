-- One row per released question.
with certified_questions as (select * from {{ ref('certified_questions') }}),

subset_quotas as (select * from {{ ref('subset_quotas') }}),

final as (
    select
        certified_questions.qid,
        certified_questions.question as query,
        subset_quotas.release_name as subset,
        certified_questions.answer_count::integer as answer_count,
    from certified_questions
    inner join subset_quotas using (subset)
)

select * from final
