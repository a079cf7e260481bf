-- One row per relational claim and record: whether the claim is true by the planted truth, and
-- whether some text or caption of the record states the true value of the field.
with field_claims as (select * from {{ ref('field_claims') }}),

truth_fields as (select * from {{ ref('truth_fields') }}),

truth_sentences as (select * from {{ ref('truth_sentences') }}),

stated as (
    select distinct
        record_id,
        key,
    from truth_sentences
    where kind = 'field' and is_true
),

final as (
    select
        field_claims.claim_id,
        field_claims.field,
        truth_fields.record_id,
        {{ meets('truth_fields.value', 'field_claims.operator', 'field_claims.value') }} as is_true,
        stated.key is not null as is_stated,
    from field_claims
    inner join truth_fields on field_claims.field = truth_fields.field
    left join stated
        on
            truth_fields.record_id = stated.record_id
            and stated.key = truth_fields.field || '=' || truth_fields.value
)

select * from final
