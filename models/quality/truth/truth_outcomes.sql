-- One row per step, slice and item that the build said yes to, or should have by the planted
-- truth.
-- recovery: claims about unknown values; a yes is a value that was recovered, right when it is the
-- true one, true or false; those count that some text or caption states.
-- graph: features of records, for planted features; those count that some text states.
-- support: records of constraints with a planted fact, among the candidates that were judged.
-- contradiction: verified candidates that were removed, against those that miss a constraint.
-- answers: answers of certified questions whose text and photo constraints all have planted
-- facts.
with recovery_pairs as (select * from {{ ref('recovery_pairs') }}),

recovered_values as (select * from {{ ref('recovered_values') }}),

truth_claims as (select * from {{ ref('truth_claims') }}),

kg_edges as (select * from {{ ref('kg_edges') }}),

kg_features as (select * from {{ ref('kg_features') }}),

truth_features as (select * from {{ ref('truth_features') }}),

truth_sentences as (select * from {{ ref('truth_sentences') }}),

truth_keys as (select * from {{ ref('truth_keys') }}),

truth_support as (select * from {{ ref('truth_support') }}),

judged_candidates as (select * from {{ ref('judged_candidates') }}),

support_sets as (select * from {{ ref('support_sets') }}),

source_constraints as (select * from {{ ref('source_constraints') }}),

known_status as (select * from {{ ref('known_status') }}),

settled_candidates as (select * from {{ ref('settled_candidates') }}),

certified_questions as (select * from {{ ref('certified_questions') }}),

answer_sets as (select * from {{ ref('answer_sets') }}),

has_truth as (select count(*) > 0 as is_planted from {{ ref('truth_fields') }}),

recovery as (
    select
        'recovery' as step,
        truth_claims.field as slice,
        recovery_pairs.claim_id || ':' || recovery_pairs.record_id as item,
        recovered_values.claim_id is not null as is_predicted,
        coalesce(recovered_values.is_true = truth_claims.is_true, false) as is_true,
        truth_claims.is_stated as is_wanted,
    from recovery_pairs
    inner join truth_claims using (claim_id, record_id)
    left join recovered_values using (claim_id, record_id)
    where recovery_pairs.purpose = 'unknown'
),

stated_features as (
    select distinct
        truth_features.record_id,
        truth_features.feature,
        truth_features.polarity,
    from truth_features
    inner join truth_sentences
        on
            truth_features.record_id = truth_sentences.record_id
            and truth_features.feature_key = truth_sentences.key
    where truth_sentences.is_true
),

feature_edges as (
    select
        kg_edges.record_id,
        kg_features.feature,
        kg_edges.polarity,
    from kg_edges
    inner join kg_features using (feature_id)
    where
        kg_edges.edge_type = 'record_feature'
        and kg_features.feature in (select feature from truth_features)
),

graph as (
    select
        'graph' as step,
        coalesce(feature_edges.polarity, stated_features.polarity) as slice,
        coalesce(feature_edges.record_id, stated_features.record_id) || ':'
        || coalesce(feature_edges.feature, stated_features.feature) as item,
        feature_edges.record_id is not null as is_predicted,
        (feature_edges.record_id, feature_edges.feature, feature_edges.polarity) in (
            select (record_id, feature, polarity) from truth_features
        ) as is_true,
        stated_features.record_id is not null as is_wanted,
    from feature_edges
    full join stated_features
        on
            feature_edges.record_id = stated_features.record_id
            and feature_edges.feature = stated_features.feature
            and feature_edges.polarity = stated_features.polarity
),

support as (
    select
        'support' as step,
        truth_keys.source as slice,
        truth_keys.constraint_id || ':' || judged_candidates.record_id as item,
        (truth_keys.constraint_id, judged_candidates.record_id) in (
            select (constraint_id, record_id) from support_sets
        ) as is_predicted,
        (truth_keys.constraint_id, judged_candidates.record_id) in (
            select (constraint_id, record_id) from truth_support
        ) as is_true,
        null::boolean as is_wanted,
    from truth_keys
    inner join source_constraints on truth_keys.constraint_id = source_constraints.constraint_id
    inner join judged_candidates on source_constraints.attempt_id = judged_candidates.attempt_id
),

-- Records that meet F by the truth: every claim about a field, and the attempt's categories.
meets_fields as (
    select
        known_status.attempt_id,
        known_status.record_id,
    from known_status
    left join truth_claims
        on
            known_status.claim_id = truth_claims.claim_id
            and known_status.record_id = truth_claims.record_id
    cross join has_truth
    where has_truth.is_planted
    group by known_status.attempt_id, known_status.record_id
    having bool_and(coalesce(truth_claims.is_true, known_status.status = 'known_true'))
),

-- A constraint is met by the truth where it has a planted fact, else as the build found.
missed as (
    select
        source_constraints.attempt_id,
        known_status.record_id,
    from source_constraints
    inner join (select distinct attempt_id, record_id from known_status) as known_status
        on source_constraints.attempt_id = known_status.attempt_id
    left join truth_keys on source_constraints.constraint_id = truth_keys.constraint_id
    left join truth_support
        on
            source_constraints.constraint_id = truth_support.constraint_id
            and known_status.record_id = truth_support.record_id
    left join support_sets
        on
            source_constraints.constraint_id = support_sets.constraint_id
            and known_status.record_id = support_sets.record_id
    where
        if(truth_keys.key is null, support_sets.record_id is null, truth_support.record_id is null)
),

true_answers as (
    select
        attempt_id,
        record_id,
    from meets_fields
    where (attempt_id, record_id) not in (select (attempt_id, record_id) from missed)
),

audited_attempts as (
    select attempt_id
    from source_constraints
    left join truth_keys using (constraint_id)
    cross join has_truth
    where has_truth.is_planted
    group by attempt_id
    having bool_and(
        source_constraints.source not in ('text', 'photo') or truth_keys.key is not null
    )
),

contradiction as (
    select
        'contradiction' as step,
        'removed' as slice,
        settled_candidates.attempt_id || ':' || settled_candidates.record_id as item,
        settled_candidates.verdict = 'remove' as is_predicted,
        (settled_candidates.attempt_id, settled_candidates.record_id) not in (
            select (attempt_id, record_id) from true_answers
        ) as is_true,
        null::boolean as is_wanted,
    from settled_candidates
    where settled_candidates.attempt_id in (select attempt_id from audited_attempts)
),

certified_answers as (
    select
        attempt_id,
        record_id,
    from answer_sets
),

certified_truths as (
    select
        true_answers.attempt_id,
        true_answers.record_id,
    from true_answers
    inner join certified_questions using (attempt_id)
),

answers as (
    select
        'answers' as step,
        certified_questions.subset as slice,
        pairs.attempt_id || ':' || pairs.record_id as item,
        (pairs.attempt_id, pairs.record_id) in (
            select (attempt_id, record_id) from certified_answers
        ) as is_predicted,
        (pairs.attempt_id, pairs.record_id) in (
            select (attempt_id, record_id) from certified_truths
        ) as is_true,
        null::boolean as is_wanted,
    from (
        select * from certified_answers
        union
        select * from certified_truths
    ) as pairs
    inner join certified_questions on pairs.attempt_id = certified_questions.attempt_id
    where pairs.attempt_id in (select attempt_id from audited_attempts)
),

outcomes as (
    select * from recovery
    union all
    select * from graph
    union all
    select * from support
    union all
    select * from contradiction
    union all
    select * from answers
),

final as (
    select
        step,
        slice,
        item,
        is_predicted,
        is_true,
        coalesce(is_wanted, is_true) as is_wanted,
    from outcomes
)

select * from final
