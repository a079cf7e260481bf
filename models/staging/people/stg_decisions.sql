-- One row per attempt, record and question that a person has decided on; the last decision counts.
with decision_lines as (select * from {{ ref('decision_lines') }}),

final as (
    select
        attempt_id,
        record_id,
        question,
        decision,
        decided_by,
        decided_at,
    from decision_lines
    where fault is null and decision in ('keep', 'remove')
    qualify row_number() over (
        partition by attempt_id, record_id, question
        order by decided_at desc, decided_by desc, decision desc
    ) = 1
)

select * from final
