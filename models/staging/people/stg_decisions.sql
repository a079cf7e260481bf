-- One row per attempt, record and question that a person has decided on; the last decision counts.
with decisions as (
    select *
    from read_json(
        getvariable('build')['decisions'], format = 'newline_delimited',
        columns = {
            'attempt_id': 'varchar', 'record_id': 'varchar', 'question': 'varchar',
            'decision': 'varchar', 'decided_by': 'varchar', 'decided_at': 'varchar'
        }
    )
),

final as (
    select
        attempt_id,
        record_id,
        question,
        decision,
        decided_by,
        decided_at,
    from decisions
    where decision in ('keep', 'remove')
    qualify row_number() over (
        partition by attempt_id, record_id, question
        order by decided_at desc, decided_by desc, decision desc
    ) = 1
)

select * from final
