-- One row per attempt, record that no constraint of F contradicts, and constraint, after the
-- recovery: known_true, recovered, recovered_false or unknown.
with known_status as (select * from {{ ref('known_status') }}),

recovered_values as (select * from {{ ref('recovered_values') }}),

final as (
    select
        known_status.attempt_id,
        known_status.record_id,
        known_status.constraint_id,
        known_status.claim_id,
        case
            when known_status.status != 'unknown' or recovered_values.is_true is null
                then known_status.status
            when recovered_values.is_true then 'recovered'
            else 'recovered_false'
        end as status,
        case
            when known_status.status = 'known_true' then 1.0
            when known_status.status = 'unknown' then recovered_values.probability
        end as probability,
    from known_status
    left join recovered_values
        on
            known_status.claim_id = recovered_values.claim_id
            and known_status.record_id = recovered_values.record_id
)

select * from final
