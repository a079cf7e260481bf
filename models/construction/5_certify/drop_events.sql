-- One row per removal: an attempt that ended (record_id is null), or a record that left an attempt.
with attempt_outcomes as (select * from {{ ref('attempt_outcomes') }}),

candidates as (select * from {{ ref('candidates') }}),

source_constraints as (select * from {{ ref('source_constraints') }}),

support_sets as (select * from {{ ref('support_sets') }}),

constraint_status as (select * from {{ ref('constraint_status') }}),

cheap_failures as (select * from {{ ref('cheap_failures') }}),

judged_candidates as (select * from {{ ref('judged_candidates') }}),

open_support as (select * from {{ ref('open_support') }}),

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
    where not is_certified
),

-- A value that stayed unknown, or turned out false, keeps a record out that no known value does.
unrecovered as (
    select
        constraint_status.attempt_id,
        constraint_status.record_id,
        'recovery' as step,
        if(
            constraint_status.status = 'unknown',
            'the value of a field stays unknown', 'the value of a field is recovered as false'
        ) as reason,
        constraint_status.constraint_id as detail,
    from constraint_status
    where
        constraint_status.status in ('unknown', 'recovered_false')
        and (constraint_status.attempt_id, constraint_status.record_id) not in (
            select (attempt_id, record_id) from candidates
        )
),

-- Without a judgement only what was checked for nothing can be said to have failed.
failures as (
    select
        attempt_id,
        constraint_id,
        record_id,
    from cheap_failures
    union
    select
        judged_candidates.attempt_id,
        source_constraints.constraint_id,
        judged_candidates.record_id,
    from judged_candidates
    inner join source_constraints on judged_candidates.attempt_id = source_constraints.attempt_id
    left join support_sets
        on
            source_constraints.constraint_id = support_sets.constraint_id
            and judged_candidates.record_id = support_sets.record_id
    where
        support_sets.record_id is null
        and (judged_candidates.attempt_id, judged_candidates.record_id) not in (
            select (attempt_id, record_id) from open_support
        )
),

unsupported as (
    select
        failures.attempt_id,
        failures.record_id,
        'support' as step,
        'does not support the ' || source_constraints.source || ' constraint' as reason,
        failures.constraint_id as detail,
    from failures
    inner join source_constraints on failures.constraint_id = source_constraints.constraint_id
),

undecided as (
    select
        attempt_id,
        record_id,
        'support' as step,
        'a judgement that decides is unresolved' as reason,
        open_parts || ' open parts' as detail,
    from open_support
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
    select * from unrecovered
    union all
    select * from unsupported
    union all
    select * from undecided
    union all
    select * from removed
)

select * from final
