-- One row per record and attribute leaf, nested attributes flattened; value is null when unknown.
with businesses as (select * from {{ ref('stg_businesses') }}),

attributes as (
    select
        business_id,
        attribute.key as attribute_key,
        attribute.value ->> '$' as raw_value,
    from businesses, json_each(businesses.attributes) as attribute
),

-- A value that looks like a Python dict and can be read as one is taken apart; others are leaves.
dictionaries as (
    select
        *,
        if(
            starts_with(raw_value, '{'),
            try_cast({{ python_dict_to_json('raw_value') }} as json),
            null
        ) as dictionary,
    from attributes
),

leaves as (
    select
        business_id,
        attribute_key,
        raw_value,
    from dictionaries
    where dictionary is null
    union all
    select
        dictionaries.business_id,
        dictionaries.attribute_key || '.' || leaf.key as attribute_key,
        leaf.value ->> '$' as raw_value,
    from dictionaries, json_each(dictionaries.dictionary) as leaf
    where dictionaries.dictionary is not null
),

named as (
    select
        business_id as record_id,
        {{ field_name("attribute_key") }} as leaf_name,
        attribute_key,
        raw_value,
        {{ leaf_value("raw_value") }} as value,
    from leaves
),

final as (
    select
        record_id,
        -- An attribute that is named like a column of its own keeps both.
        if(
            leaf_name in (
                'record_id', 'name', 'address', 'city', 'state', 'postal_code', 'latitude',
                'longitude', 'stars', 'review_count', 'is_open', 'categories'
            ),
            'attribute_' || leaf_name, leaf_name
        ) as field,
        raw_value,
        value,
    from named
    where leaf_name != ''
    qualify row_number() over (partition by record_id, field order by attribute_key) = 1
)

select * from final
