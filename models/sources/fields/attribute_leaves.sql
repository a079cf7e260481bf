-- One row per distinct value of an attribute and leaf in it: dicts are taken apart, however deep.
-- Each distinct value is read once, however many records have it. A list is one leaf.
-- An attribute that the vintage of 2015 calls by another name has the field of today's name.
with recursive stg_records as (select * from {{ ref('stg_businesses') }}),

attribute_names as (select * from {{ ref('attribute_names') }}),

attributes as (
    select distinct
        vintage,
        key as attribute,
        value ->> '$' as attribute_value,
    from (
        select
            vintage,
            unnest({{ json_members('attributes') }}, recursive := true),
        from stg_records
    ) as members
),

nodes as (
    select
        vintage,
        attribute,
        attribute_value,
        [attribute] as path,
        attribute_value as raw_value,
        {{ dictionary('attribute_value') }} as dictionary,
        1 as depth,
    from attributes
    union all
    select
        vintage,
        attribute,
        attribute_value,
        list_append(path, key) as path,
        value ->> '$' as raw_value,
        -- No honest file is deeper.
        if(depth < 8, {{ dictionary("(value ->> '$')") }}, null) as dictionary,
        depth + 1 as depth,
    from (
        select *, unnest({{ json_members('dictionary') }}, recursive := true) from nodes
    ) as members
),

leaves as (
    select
        nodes.vintage,
        nodes.attribute,
        nodes.attribute_value,
        to_json(nodes.path)::varchar as leaf_path,
        array_to_string(nodes.path, '.') as leaf_key,
        {{ field_name(
            "array_to_string(list_prepend("
            ~ "coalesce(attribute_names.attribute, nodes.attribute), nodes.path[2:]), '.')"
        ) }} as leaf_name,
        nodes.raw_value,
        {{ leaf_value('nodes.raw_value') }} as value,
    from nodes
    left join attribute_names
        on
            nodes.vintage = attribute_names.vintage
            and nodes.attribute = attribute_names.attribute_of_vintage
    where nodes.dictionary is null or len(json_keys(nodes.dictionary)) = 0
),

final as (
    select
        vintage,
        attribute,
        attribute_value,
        leaf_path,
        leaf_key,
        -- An attribute that is named like a column of its own keeps both.
        if(
            leaf_name in (
                'record_id', 'name', 'address', 'city', 'state', 'postal_code', 'latitude',
                'longitude', 'stars', 'review_count', 'is_open', 'categories'
            ),
            'attribute_' || leaf_name, leaf_name
        ) as leaf_name,
        raw_value,
        value,
    from leaves
)

select * from final
