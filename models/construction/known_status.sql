-- One row per attempt, record that meets the attempt's categories, and constraint of F:
-- known_true, known_false or unknown, as the record's own fields say.
with field_constraints as (select * from {{ ref('field_constraints') }}),

record_categories as (select * from {{ ref('record_categories') }}),

record_fields as (select * from {{ ref('record_fields') }}),

category_counts as (
    select
        attempt_id,
        count(*) as category_count,
    from field_constraints
    where field = 'categories'
    group by attempt_id
),

in_categories as (
    select
        field_constraints.attempt_id,
        record_categories.record_id,
    from field_constraints
    inner join record_categories on field_constraints.value = record_categories.category
    inner join category_counts on field_constraints.attempt_id = category_counts.attempt_id
    where field_constraints.field = 'categories'
    group by
        field_constraints.attempt_id, record_categories.record_id,
        category_counts.category_count
    having count(*) = category_counts.category_count
),

final as (
    select
        in_categories.attempt_id,
        in_categories.record_id,
        field_constraints.constraint_id,
        field_constraints.claim_id,
        case
            when field_constraints.field = 'categories' then 'known_true'
            when record_fields.value is null then 'unknown'
            when
                {{ meets(
                    'record_fields.value', 'field_constraints.operator', 'field_constraints.value'
                ) }}
                then 'known_true'
            else 'known_false'
        end as status,
    from in_categories
    inner join field_constraints on in_categories.attempt_id = field_constraints.attempt_id
    left join record_fields
        on
            in_categories.record_id = record_fields.record_id
            and field_constraints.field = record_fields.field
)

select * from final
