-- One row per attempt, record that meets the attempt's categories, and constraint of F, after the
-- recovery: known_true, recovered, unknown or known_false.
with known_status as (select * from {{ ref('known_status') }}),

recovered_values as (select * from {{ ref('recovered_values') }}),

recovered as (
    select
        claim_id,
        record_id,
        max(probability) as probability,
    from recovered_values
    group by claim_id, record_id
),

final as (
    select
        known_status.attempt_id,
        known_status.record_id,
        known_status.constraint_id,
        known_status.claim_id,
        if(
            known_status.status = 'unknown' and recovered.probability is not null,
            'recovered', known_status.status
        ) as status,
        case
            when known_status.status = 'known_true' then 1.0
            when known_status.status = 'unknown' then recovered.probability
        end as probability,
    from known_status
    left join recovered
        on
            known_status.claim_id = recovered.claim_id
            and known_status.record_id = recovered.record_id
)

select * from final
