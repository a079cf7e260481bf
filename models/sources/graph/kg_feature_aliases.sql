-- One row per feature string as extracted, with the canonical feature that it is a variant of.
-- A string that is said of one record only is not compared: it stays itself.
with counts as (select * from {{ ref('kg_feature_counts') }}),

feature_vectors as (select * from {{ ref('feature_vectors') }}),

compared as (
    select
        counts.raw_feature,
        counts.record_count,
        feature_vectors.vector,
    from counts
    inner join feature_vectors on counts.vector_key = feature_vectors.request_key
    where counts.record_count >= 2
),

words as (
    select
        raw_feature,
        unnest(string_split(raw_feature, ' ')) as word,
    from compared
),

-- Only strings that share a word can be variants: this keeps the comparison small and strict.
pairs as (
    select distinct
        variant.raw_feature as variant,
        leader.raw_feature as leader,
    from words as variant
    inner join words as leader
        on variant.word = leader.word and variant.raw_feature != leader.raw_feature
),

similarities as (
    select
        pairs.variant,
        pairs.leader,
        {{ similarity('variant.vector', 'leader.vector') }} as similarity,
    from pairs
    inner join compared as variant on pairs.variant = variant.raw_feature
    inner join compared as leader on pairs.leader = leader.raw_feature
    where (leader.record_count, variant.raw_feature) > (variant.record_count, leader.raw_feature)
),

similar_pairs as (
    select *
    from similarities
    where similarity >= {{ var('feature_merge_similarity') }}
),

-- A leader is a variant of nobody, so that no chain of near synonyms drifts away.
leader_pairs as (
    select *
    from similar_pairs
    where leader not in (select variant from similar_pairs)
),

best_leaders as (
    {{ nearest('leader_pairs', query=['variant'], key='leader') }}
),

final as (
    select
        counts.raw_feature,
        coalesce(best_leaders.leader, counts.raw_feature) as feature,
        left(md5(coalesce(best_leaders.leader, counts.raw_feature)), 16) as feature_id,
    from counts
    left join best_leaders on counts.raw_feature = best_leaders.variant
)

select * from final
