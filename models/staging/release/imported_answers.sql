-- One row per question of the imported release and answer, ranked as the release lists them.
with answer_lines as (select * from {{ ref('stg_release_answers') }}),

questions as (select * from {{ ref('imported_questions') }}),

final as (
    select
        questions.qid,
        unnest(answer_lines.record_ids) as record_id,
        generate_subscripts(answer_lines.record_ids, 1) as rank,
    from questions
    inner join answer_lines using (qid)
)

select * from final
