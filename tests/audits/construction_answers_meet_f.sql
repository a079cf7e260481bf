-- Answers that contradict a relational constraint of their question by the record's own fields, or
-- meet one by neither a known nor a recovered value.
with answer_sets as (select * from {{ ref('answer_sets') }}),

field_constraints as (select * from {{ ref('field_constraints') }}),

records as (select * from {{ ref('records') }}),

record_fields as (select * from {{ ref('record_fields') }}),

recovered_values as (select * from {{ ref('recovered_values') }}),

judged as (
    select
        answer_sets.qid,
        answer_sets.record_id,
        field_constraints.field,
        field_constraints.value as wanted,
        record_fields.value,
        case
            when field_constraints.field = 'categories'
                then list_contains(records.categories, field_constraints.value)
            when record_fields.value is null
                then coalesce(recovered_values.is_true, '{{ var("recovery") }}' = 'any')
            else
                {{ meets(
                    'record_fields.value', 'field_constraints.operator', 'field_constraints.value'
                ) }}
        end as is_met,
    from answer_sets
    inner join field_constraints on answer_sets.attempt_id = field_constraints.attempt_id
    inner join records on answer_sets.record_id = records.record_id
    left join record_fields
        on
            answer_sets.record_id = record_fields.record_id
            and field_constraints.field = record_fields.field
    left join recovered_values
        on
            answer_sets.record_id = recovered_values.record_id
            and field_constraints.claim_id = recovered_values.claim_id
),

final as (
    select
        qid,
        record_id,
        field,
        wanted,
        value,
    from judged
    where is_met is not true
)

select * from final
