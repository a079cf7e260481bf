-- One row per business of the business file, as the file has it.
with lines as (
    select * from {{ accepted_lines('business', ['business_id'], 'business_id') }}
),

final as (
    select
        line ->> 'business_id' as business_id,
        -- No question can say a name or a label that is a text of its own.
        left(coalesce({{ one_line("line ->> 'name'") }}, ''), {{ var('name_max_chars') }}) as name,
        coalesce(line ->> 'address', '') as address,
        nullif({{ one_line("line ->> 'city'") }}, '') as city,
        nullif({{ one_line("line ->> 'state'") }}, '') as state,
        nullif(trim(line ->> 'postal_code'), '') as postal_code,
        try_cast(line ->> 'latitude' as double) as latitude,
        try_cast(line ->> 'longitude' as double) as longitude,
        -- A rating off the scale is none.
        if(
            try_cast(line ->> 'stars' as double) between 0 and 5,
            try_cast(line ->> 'stars' as double), null
        ) as stars,
        try_cast(line ->> 'review_count' as bigint) as review_count,
        case lower(line ->> 'is_open')
            when '1' then 'true' when 'true' then 'true'
            when '0' then 'false' when 'false' then 'false'
        end as is_open,
        list_filter(
            list_transform(
                string_split({{ one_line("line ->> 'categories'") }}, ','), lambda part: trim(part)
            ),
            lambda part: length(part) between 1 and {{ var('name_max_chars') }}
        ) as categories,
        if(json_type(line -> 'attributes') = 'OBJECT', line -> 'attributes', null) as attributes,
        line_number,
    from lines
)

select * from final
