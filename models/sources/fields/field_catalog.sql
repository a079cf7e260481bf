-- One row per relational field: what it is, how often it is known, how often it is sampled.
with field_profiles as (select * from {{ ref('field_profiles') }}),

field_rules as (select * from {{ ref('field_rules') }}),

records as (select * from {{ ref('records') }}),

field_tiers as (select * from {{ ref('field_tiers') }}),

stg_field_rules as (select * from {{ ref('stg_field_rules') }}),

own_tiers as (
    select
        field,
        max(tier) as tier,
        max(weight) as weight,
    from stg_field_rules
    group by field
),

claims as (
    select
        field,
        'It ' || max_by(phrase, {'probability': probability, 'phrase': phrase}) || '.' as claim,
    from field_rules
    group by field
),

tiers as (
    select
        field_profiles.*,
        coalesce(own_tiers.tier, field_tiers.tier, 'supplementary') as tier,
        coalesce(own_tiers.weight, field_tiers.weight, {{ var('default_field_weight') }})
            as weight,
    from field_profiles
    left join own_tiers on field_profiles.field = own_tiers.field
    left join field_tiers on field_profiles.field = field_tiers.field
),

final as (
    select
        tiers.field,
        tiers.attribute_key,
        tiers.tier,
        tiers.weight,
        tiers.kind,
        tiers.known_count,
        tiers.value_count,
        round(tiers.known_count / (select count(*) from records), 4) as coverage,
        tiers.examples,
        claims.claim,
        -- Nobody reads a city, a rating or an opening from a review or a photo.
        tiers.tier != 'core' as is_recoverable,
    from tiers
    left join claims on tiers.field = claims.field
)

select * from final
