-- One row per distinct constraint on a relational field: the sentence that claims it, and its
-- negation.
with field_constraints as (select * from {{ ref('field_constraints') }}),

field_phrases as (select * from {{ ref('field_phrases') }}),

field_catalog as (select * from {{ ref('field_catalog') }}),

claims as (
    select distinct
        claim_id,
        field,
        operator,
        value,
    from field_constraints
),

-- The closest phrase wins: one for the value, one for the field, one for any field.
phrased as (
    select
        claims.*,
        field_phrases.phrase,
        field_phrases.negation,
    from claims
    inner join field_phrases
        on
            field_phrases.field in (claims.field, '*')
            and field_phrases.operator = claims.operator
            and field_phrases.value in (claims.value, '*')
    qualify row_number() over (
        partition by claims.claim_id
        order by field_phrases.field = '*', field_phrases.value = '*', field_phrases.phrase
    ) = 1
),

worded as (
    select
        claim_id,
        field,
        operator,
        value,
        replace(replace(phrase, '{field}', words), '{value}', value) as phrase,
        replace(replace(negation, '{field}', words), '{value}', value) as negated_phrase,
    from (select *, replace(field, '_', ' ') as words from phrased) as phrased_words
),

final as (
    select
        worded.claim_id,
        worded.field,
        worded.operator,
        worded.value,
        'It ' || worded.phrase || '.' as claim,
        'It ' || worded.negated_phrase || '.' as negation,
        worded.phrase,
        worded.field != 'categories' and coalesce(field_catalog.is_recoverable, false)
            as is_recoverable,
    from worded
    left join field_catalog on worded.field = field_catalog.field
)

select * from final
