-- One row per attempt and record that a person has to decide on.
with settled_candidates as (select * from {{ ref('settled_candidates') }}),

questions as (select * from {{ ref('questions') }}),

final as (
    select
        settled_candidates.attempt_id,
        settled_candidates.record_id,
        questions.question,
        'the debate over possible contradictions stayed unclear' as reason,
    from settled_candidates
    inner join questions using (attempt_id)
    where settled_candidates.verdict = 'open'
)

select * from final
