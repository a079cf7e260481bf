-- One row per relational field: what its known values look like.
with record_fields as (select * from {{ ref('record_fields') }}),

record_attributes as (select * from {{ ref('record_attributes') }}),

value_counts as (
    select
        field,
        value,
        count(*) as record_count,
    from record_fields
    group by field, value
),

profiles as (
    select
        field,
        sum(record_count)::bigint as known_count,
        count(*) as value_count,
        bool_and(value in ('true', 'false')) as is_boolean,
        bool_and(coalesce(isfinite(try_cast(value as double)), false)) as is_number,
        -- Lists, long values and values that hardly two records share are no property to ask for.
        bool_or(regexp_matches(value, '^[\[{]'))
        or median(length(value)) > {{ var('value_max_chars') }}
        or (count(*) > 50 and count(*) * 2 > sum(record_count)) as is_text,
        list_transform(
            min_by(value, {'ascending': -record_count, 'value': value}, 5),
            lambda value: left(value, {{ var('value_max_chars') }})
        ) as examples,
    from value_counts
    group by field
),

key_counts as (
    select
        field,
        attribute_key,
        count(*) as record_count,
    from record_attributes
    group by field, attribute_key
),

attribute_keys as (
    select
        field,
        min_by(attribute_key, {'ascending': -record_count, 'key': attribute_key})
            as attribute_key,
    from key_counts
    group by field
),

final as (
    select
        profiles.field,
        attribute_keys.attribute_key,
        -- `Ambience` of `Ambience.casual`, as it begins the field's name.
        {{ field_name(
            "nullif(regexp_extract(attribute_keys.attribute_key, '^(.*\\S)\\.\\S[^.]*$', 1), '')"
        ) }} as parent,
        case
            when profiles.is_boolean then 'boolean'
            when profiles.is_number then 'number'
            when profiles.is_text then 'text'
            else 'category'
        end as kind,
        profiles.known_count,
        profiles.value_count,
        profiles.examples,
    from profiles
    left join attribute_keys on profiles.field = attribute_keys.field
)

select * from final
