-- One row per accepted line of the business file, the same for both vintages of the layout.
{{ config(materialized='staged', inputs=['business']) }}
with lines as (
    select * from {{ accepted_lines('business', 'business_id') }}
),

-- The vintage of 2015 has the whole address in one: the street, and a last line such as
-- 'Phoenix, AZ 85003' or 'Edinburgh EH8 9NG'.
addressed as (
    select
        *,
        trim(regexp_extract(rtrim(full_address, e' \t\r\n'), '[^\n]*$')) as last_line,
        regexp_replace(rtrim(full_address, e' \t\r\n'), '\n?[^\n]*$', '') as street,
        regexp_extract(
            last_line, '^(.*\S)\s*,\s*(\S+)\s*(.*)$', ['city', 'state', 'postal_code']
        ) as place,
    from lines
),

placed as (
    select
        *,
        case
            when place.state != '' then place.postal_code
            when starts_with(last_line, city) then trim(substr(last_line, length(city) + 1))
        end as place_code,
        -- A last line that names no place is part of the street.
        if(place.state != '' or starts_with(last_line, city), street, full_address) as place_street,
    from addressed
),

final as (
    select
        business_id,
        -- Questions have to say names and labels: a longer name is cut, a longer label left out.
        left(
            coalesce({{ mask_emails(one_line('name')) }}, ''), {{ var('name_max_chars') }}
        ) as name,
        {{ mask_emails(
            "coalesce(address, replace(trim(place_street), e'\\n', ', '), '')"
        ) }} as address,
        {{ mask_emails(
            "coalesce(nullif(" ~ one_line('city') ~ ", ''), nullif(" ~ one_line('place.city') ~ ", ''))"
        ) }} as city,
        {{ mask_emails(
            "coalesce(nullif(" ~ one_line('state') ~ ", ''), nullif(place.state, ''))"
        ) }} as state,
        {{ mask_emails(
            "coalesce(nullif(trim(postal_code), ''), nullif(place_code, ''))"
        ) }} as postal_code,
        try_cast(latitude as double) as latitude,
        try_cast(longitude as double) as longitude,
        -- A rating off the scale is none.
        if(
            try_cast(stars as double) between 0 and 5, try_cast(stars as double), null
        ) as stars,
        try_cast(review_count as bigint) as review_count,
        case lower(coalesce(is_open, open))
            when '1' then 'true' when 'true' then 'true'
            when '0' then 'false' when 'false' then 'false'
        end as is_open,
        nullif(
            list_filter(
                list_transform(
                    if(
                        json_type(categories) = 'ARRAY',
                        categories ->> '$[*]',
                        string_split(categories ->> '$', ',')
                    ),
                    lambda part: {{ mask_emails(one_line('part')) }}
                ),
                lambda part: length(part) between 1 and {{ var('name_max_chars') }}
            ),
            []
        ) as categories,
        if(
            json_type(attributes) = 'OBJECT', {{ mask_emails('attributes::varchar') }}::json, null
        ) as attributes,
        if(full_address is null, 'current', '2015') as vintage,
        line_number,
    from placed
)

select * from final
