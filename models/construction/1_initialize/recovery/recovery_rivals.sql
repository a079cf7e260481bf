-- One row per recoverable claim and rival: another claim of the same field such that no known value
-- meets both. Evidence for a rival speaks against the claim: a place that serves no alcohol has no
-- full bar.
with field_claims as (select * from {{ ref('field_claims') }}),

record_fields as (select * from {{ ref('record_fields') }}),

met as (
    select distinct
        field_claims.claim_id,
        field_claims.field,
        record_fields.value,
    from field_claims
    inner join record_fields on field_claims.field = record_fields.field
    where
        field_claims.is_recoverable
        and {{ meets('record_fields.value', 'field_claims.operator', 'field_claims.value') }}
),

compatible as (
    select distinct
        met.claim_id,
        other.claim_id as rival_id,
    from met
    inner join met as other using (field, value)
),

final as (
    select distinct
        met.claim_id,
        other.claim_id as rival_id,
    from met
    inner join met as other using (field)
    where (met.claim_id, other.claim_id) not in (select (claim_id, rival_id) from compatible)
)

select * from final
