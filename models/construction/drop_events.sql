-- One row per removal: an attempt that ended (record_id is null), or a record that left an attempt.
with attempt_outcomes as (select * from {{ ref('attempt_outcomes') }}),

candidates as (select * from {{ ref('candidates') }}),

source_constraints as (select * from {{ ref('source_constraints') }}),

support_sets as (select * from {{ ref('support_sets') }}),

settled_candidates as (select * from {{ ref('settled_candidates') }}),

attempt_drops as (
    select
        attempt_id,
        null as record_id,
        'attempt' as step,
        reason,
        candidate_count || ' candidates, ' || verified_count || ' verified, '
        || answer_count || ' answers' as detail,
    from attempt_outcomes
    where reason is not null
),

unsupported as (
    select
        candidates.attempt_id,
        candidates.record_id,
        'support' as step,
        'does not support the ' || source_constraints.source || ' constraint' as reason,
        source_constraints.constraint_id as detail,
    from candidates
    inner join source_constraints using (attempt_id)
    left join support_sets
        on
            source_constraints.constraint_id = support_sets.constraint_id
            and candidates.record_id = support_sets.record_id
    where support_sets.record_id is null
),

removed as (
    select
        attempt_id,
        record_id,
        'contradiction' as step,
        'removed by ' || basis as reason,
        'worst ratio ' || worst_ratio as detail,
    from settled_candidates
    where verdict = 'remove'
),

final as (
    select * from attempt_drops
    union all
    select * from unsupported
    union all
    select * from removed
)

select * from final
