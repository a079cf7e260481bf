-- One row per claim and record for which the claim is tried on the record's other sources.
-- `unknown`: an attempt needs the value. `hidden`: the value is known and kept from the recovery, a
-- drawn sample for each claim that is true of some record and false of another; the recovery of
-- hidden values calibrates the recovery and measures its precision. `compared`: no attempt needs
-- the value, but evidence for this claim would speak against a claim that is tried. Records with
-- known values are searched apart from records with unknown ones, so that the few do not lose their
-- places among the nearest to the many. All claims of a record are in one fold.
with known_status as (select * from {{ ref('known_status') }}),

field_claims as (select * from {{ ref('field_claims') }}),

record_fields as (select * from {{ ref('record_fields') }}),

recovery_rivals as (select * from {{ ref('recovery_rivals') }}),

unknown_pairs as (
    select distinct
        known_status.claim_id,
        known_status.record_id,
    from known_status
    inner join field_claims using (claim_id)
    where known_status.status = 'unknown' and field_claims.is_recoverable
),

known_values as (
    select
        field_claims.claim_id,
        record_fields.record_id,
        field_claims.field,
        {{ meets('record_fields.value', 'field_claims.operator', 'field_claims.value') }}
            as is_true,
    from field_claims
    inner join record_fields on field_claims.field = record_fields.field
    where field_claims.is_recoverable
),

contested as (
    select claim_id
    from known_values
    group by claim_id
    having bool_or(is_true) and not bool_and(is_true)
),

hidden_pairs as (
    select
        claim_id,
        record_id,
        is_true,
    from known_values
    where claim_id in (select claim_id from contested)
    qualify row_number() over (
        partition by claim_id
        order by {{ draw('field', 'hidden value', 'record_id') }}, record_id
    ) <= {{ var('audit_records') }}
),

tried_pairs as (
    select
        claim_id,
        record_id,
        'unknown' as purpose,
        null::boolean as is_true,
    from unknown_pairs
    where '{{ var("recovery") }}' != 'none'
    union all
    select
        claim_id,
        record_id,
        'hidden' as purpose,
        is_true,
    from hidden_pairs
),

pairs as (
    select
        *,
        purpose = 'hidden' as is_known,
    from tried_pairs
    union all
    select distinct
        recovery_rivals.rival_id as claim_id,
        tried_pairs.record_id,
        'compared' as purpose,
        null::boolean as is_true,
        tried_pairs.purpose = 'hidden' as is_known,
    from tried_pairs
    inner join recovery_rivals using (claim_id)
    where
        (recovery_rivals.rival_id, tried_pairs.record_id) not in (
            select (claim_id, record_id) from tried_pairs
        )
),

final as (
    select
        claim_id,
        record_id,
        purpose,
        is_true,
        is_known,
        floor({{ draw('record_id', 'recovery fold') }} * {{ var('recovery_folds') }})::integer
            as fold,
    from pairs
)

select * from final
