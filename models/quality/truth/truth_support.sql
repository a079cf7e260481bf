-- One row per constraint with a planted fact and record of which the fact is true.
with truth_keys as (select * from {{ ref('truth_keys') }}),

truth_fields as (select * from {{ ref('truth_fields') }}),

truth_features as (select * from {{ ref('truth_features') }}),

truth_visible as (select * from {{ ref('truth_visible') }}),

facts as (
    select
        record_id,
        field || '=' || value as key,
    from truth_fields
    union
    select
        record_id,
        feature_key as key,
    from truth_features
    where polarity = 'positive'
    union
    select
        record_id,
        thing_key as key,
    from truth_visible
),

final as (
    select
        truth_keys.constraint_id,
        truth_keys.source,
        facts.record_id,
    from truth_keys
    inner join facts on truth_keys.key = facts.key
)

select * from final
