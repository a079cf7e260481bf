-- One row per attempt and record that is known to meet every constraint of F (A).
with known_status as (select * from {{ ref('known_status') }}),

final as (
    select
        attempt_id,
        record_id,
    from known_status
    group by attempt_id, record_id
    having bool_and(status = 'known_true')
)

select * from final
