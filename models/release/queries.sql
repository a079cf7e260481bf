-- One row per released question.
with questions as (
    select * from {{ evaluated('certified_questions', 'imported_questions') }}
),

final as (
    select
        questions.qid,
        questions.question as query,
        questions.subset,
        questions.answer_count::integer as answer_count,
    from questions
)

select * from final
