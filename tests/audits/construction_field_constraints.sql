-- Attempts whose F is not as it is drawn: a constraint that more than max_share of the records
-- meet, other than the only categories of a seed; another number of constraints of a tier; or one
-- that the seed does not meet.
with attempts as (select * from {{ ref('attempts') }}),

field_constraints as (
    select
        *,
        to_json([field, operator, value])::varchar as said,
    from {{ ref('field_constraints') }}
),

records as (select * from {{ ref('records') }}),

record_categories as (select * from {{ ref('record_categories') }}),

record_fields as (select * from {{ ref('record_fields') }}),

claims as (
    select distinct
        said,
        field,
        operator,
        value,
    from field_constraints
),

met as (
    select
        claims.said,
        record_categories.record_id,
    from claims
    inner join record_categories
        on claims.field = 'categories' and claims.value = record_categories.category
    union all
    select
        claims.said,
        record_fields.record_id,
    from claims
    inner join record_fields on claims.field = record_fields.field
    where {{ meets('record_fields.value', 'claims.operator', 'claims.value') }}
),

wide as (
    select said
    from met
    group by said
    having count(*) > {{ var('max_share') }} * (select count(*) from records)
),

-- What a seed could be called instead.
narrow_categories as (
    select
        record_categories.record_id,
        record_categories.category,
    from record_categories
    qualify
        count(*) over (partition by record_categories.category)
        <= {{ var('max_share') }} * (select count(*) from records)
),

too_wide as (
    select
        field_constraints.attempt_id,
        'too many records meet ' || field_constraints.constraint_id as reason,
    from field_constraints
    inner join attempts using (attempt_id)
    where
        field_constraints.said in (select said from wide)
        and (
            field_constraints.field != 'categories'
            or attempts.seed_record_id in (select record_id from narrow_categories)
        )
),

miscounted as (
    select
        attempt_id,
        'has another number of constraints' as reason,
    from field_constraints
    group by attempt_id
    having
        count(*) filter (where tier = 'category') not in (1, 2)
        or count(*) filter (where tier = 'core') != 1
        or count(*) filter (where tier in ('high_value', 'supplementary')) not in (1, 2)
        or count(distinct field) filter (where tier != 'category')
        != count(*) filter (where tier != 'category')
),

unmet as (
    select
        field_constraints.attempt_id,
        'the seed does not meet ' || field_constraints.constraint_id as reason,
    from field_constraints
    inner join attempts using (attempt_id)
    where
        (field_constraints.said, attempts.seed_record_id) not in (
            select (said, record_id) from met
        )
),

final as (
    select * from too_wide
    union all
    select * from miscounted
    union all
    select * from unmet
)

select * from final
