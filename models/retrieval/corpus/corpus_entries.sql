-- One row per entry that a retriever searches: a record's serialized fields, a text, a caption.
with records as (select * from {{ ref('records') }}),

record_fields as (select * from {{ ref('record_fields') }}),

texts as (select * from {{ ref('texts') }}),

photos as (select * from {{ ref('photos') }}),

field_lists as (
    select
        record_id,
        string_agg(replace(field, '_', ' ') || ': ' || value, '; ' order by field) as field_list,
    from record_fields
    group by record_id
),

entries as (
    select
        'fields:' || records.record_id as entry_id,
        records.record_id,
        'fields' as source,
        records.record_id as source_id,
        concat_ws(
            '. ',
            nullif(records.name, ''),
            nullif(array_to_string(records.categories, ', '), ''),
            nullif(concat_ws(', ', nullif(records.address, ''), records.postal_code), ''),
            'latitude: ' || round(records.latitude, 4) || '; longitude: '
            || round(records.longitude, 4),
            field_lists.field_list
        ) as content,
    from records
    left join field_lists on records.record_id = field_lists.record_id
    union all
    select
        'text:' || text_id as entry_id,
        record_id,
        'text' as source,
        text_id as source_id,
        content,
    from texts
    where not is_empty
    union all
    select
        'photo:' || photo_id as entry_id,
        record_id,
        'photo' as source,
        photo_id as source_id,
        caption as content,
    from photos
    where caption is not null
),

final as (
    select
        entry_id,
        record_id,
        source,
        source_id,
        content,
    from entries
)

select * from final
