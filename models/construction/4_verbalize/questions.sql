-- One row per attempt with its question in words.
with question_specs as (select * from {{ ref('question_specs') }}),

question_drafts as (select * from {{ ref('question_drafts') }}),

final as (
    select
        question_specs.attempt_id,
        question_drafts.question,
        to_json({'question': question_drafts.question, 'claims': question_specs.claims})::varchar
            as requirement,
        question_specs.signature,
        {{ vector_key('query', 'question_drafts.question') }} as vector_key,
    from question_specs
    inner join question_drafts using (request_key)
    where question_drafts.error is null and question_drafts.question is not null
)

select * from final
