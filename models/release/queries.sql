-- One row per released question.
with questions as (
    select * from {{ evaluated('certified_questions', 'imported_questions') }}
),

subset_quotas as (select * from {{ ref('subset_quotas') }}),

final as (
    select
        questions.qid,
        questions.question as query,
        subset_quotas.release_name as subset,
        questions.answer_count::integer as answer_count,
    from questions
    inner join subset_quotas using (subset)
)

select * from final
