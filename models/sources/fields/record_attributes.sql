-- One row per record and attribute leaf, nested attributes flattened; value is null when unknown.
with stg_records as (
    select * rename (business_id as record_id) from {{ ref('stg_businesses') }}
),

attribute_leaves as (select * from {{ ref('attribute_leaves') }}),

attributes as (
    select
        record_id,
        vintage,
        unnest({{ json_members('attributes') }}, recursive := true),
    from stg_records
),

record_leaves as (
    select
        attributes.record_id,
        attribute_leaves.leaf_path,
        attribute_leaves.leaf_key,
        attribute_leaves.leaf_name,
        attribute_leaves.raw_value,
        attribute_leaves.value,
    from attributes
    inner join attribute_leaves
        on
            attributes.vintage = attribute_leaves.vintage
            and attributes.key = attribute_leaves.attribute
            and (attributes.value ->> '$') is not distinct from attribute_leaves.attribute_value
),

-- Keys of one name are spellings of one field, unless a record has two of them.
name_paths as (
    select distinct
        leaf_name,
        leaf_path,
    from attribute_leaves
),

shared_names as (
    select leaf_name
    from name_paths
    group by leaf_name
    having count(*) > 1
),

rival_names as (
    select leaf_name
    from record_leaves
    where leaf_name in (select leaf_name from shared_names)
    group by record_id, leaf_name
    having count(*) > 1
),

-- One path has two names where an attribute of an older vintage has another name today.
path_fields as (
    select
        leaf_path,
        leaf_name,
        leaf_name
        || if(
            leaf_name in (select leaf_name from rival_names) and spelling > 1,
            '__' || spelling, ''
        ) as field,
    from (
        select
            *,
            row_number() over (partition by leaf_name order by leaf_path) as spelling,
        from name_paths
    ) as numbered_paths
),

final as (
    select
        record_leaves.record_id,
        path_fields.field,
        record_leaves.leaf_key as attribute_key,
        record_leaves.raw_value,
        record_leaves.value,
    from record_leaves
    inner join path_fields using (leaf_path, leaf_name)
)

select * from final
