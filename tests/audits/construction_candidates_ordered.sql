-- Attempts at which a mode of `recovery` that lets in more would have fewer candidates, and those
-- whose candidates are not the ones of the mode in force.
with constraint_status as (select * from {{ ref('constraint_status') }}),

candidates as (
    select
        attempt_id,
        count(*) as candidate_count,
    from {{ ref('candidates') }}
    group by attempt_id
),

counts as (
    select
        attempt_id,
        record_id,
        count(*) filter (where status = 'recovered_false') as false_count,
        count(*) filter (where status = 'unknown') as unknown_count,
        count(*) filter (where status = 'recovered') as recovered_count,
    from constraint_status
    group by attempt_id, record_id
),

modes as (
    select
        attempt_id,
        count(*) filter (where {{ is_candidate('none', 'counts') }}) as none_count,
        count(*) filter (where {{ is_candidate('all', 'counts') }}) as all_count,
        count(*) filter (where {{ is_candidate('any', 'counts') }}) as any_count,
        count(*) filter (where {{ is_candidate(var('recovery'), 'counts') }}) as mode_count,
    from counts
    group by attempt_id
),

final as (
    select
        modes.attempt_id,
        modes.none_count,
        modes.all_count,
        modes.any_count,
        coalesce(candidates.candidate_count, 0) as candidate_count,
    from modes
    left join candidates using (attempt_id)
    where
        modes.none_count > modes.all_count
        or modes.all_count > modes.any_count
        or modes.mode_count != coalesce(candidates.candidate_count, 0)
)

select * from final
