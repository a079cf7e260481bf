-- One row per distinct constraint on a relational field: the sentence that claims it, and its
-- negation.
with field_constraints as (select * from {{ ref('field_constraints') }}),

field_rules as (select * from {{ ref('field_rules') }}),

field_catalog as (select * from {{ ref('field_catalog') }}),

claims as (
    select distinct
        claim_id,
        field,
        operator,
        value,
    from field_constraints
),

final as (
    select
        claims.claim_id,
        claims.field,
        claims.operator,
        claims.value,
        'It ' || field_rules.phrase || '.' as claim,
        'It ' || field_rules.negation || '.' as negation,
        field_rules.phrase,
        claims.field != 'categories' and coalesce(field_catalog.is_recoverable, false)
            as is_recoverable,
    from claims
    inner join field_rules using (field, operator, value)
    left join field_catalog on claims.field = field_catalog.field
)

select * from final
