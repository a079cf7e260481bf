-- One row per relational field: what it is, how often it is known, how often it is sampled.
with record_fields as (select * from {{ ref('record_fields') }}),

records as (select * from {{ ref('records') }}),

field_tiers as (select * from {{ ref('field_tiers') }}),

profiles as (
    select
        field,
        count(*) as known_count,
        count(distinct value) as value_count,
        bool_and(value in ('true', 'false')) as is_boolean,
        bool_and(try_cast(value as double) is not null) as is_number,
    from record_fields
    group by field
),

final as (
    select
        profiles.field,
        coalesce(field_tiers.tier, 'supplementary') as tier,
        coalesce(field_tiers.weight, {{ var('default_field_weight') }}) as weight,
        case
            when profiles.is_boolean then 'boolean'
            when profiles.is_number then 'number'
            else 'category'
        end as kind,
        profiles.known_count,
        profiles.value_count,
        round(profiles.known_count / (select count(*) from records), 4) as coverage,
        -- Nobody reads a city, a rating or an opening from a review or a photo.
        coalesce(field_tiers.tier, 'supplementary') != 'core' as is_recoverable,
    from profiles
    left join field_tiers using (field)
)

select * from final
