-- One row per attempt: the candidate that gives its own sources to the constraints of H.
with candidates as (select * from {{ ref('candidates') }}),

attempts as (select * from {{ ref('attempts') }}),

record_sources as (select * from {{ ref('record_sources') }}),

sizes as (
    select
        attempt_id,
        count(*) as candidate_count,
    from candidates
    group by attempt_id
),

able as (
    select
        candidates.attempt_id,
        candidates.record_id,
    from candidates
    inner join attempts on candidates.attempt_id = attempts.attempt_id
    inner join sizes on candidates.attempt_id = sizes.attempt_id
    inner join record_sources
        on
            candidates.record_id = record_sources.record_id
            and list_contains(attempts.sources, record_sources.source)
    where sizes.candidate_count <= {{ var('max_candidates') }}
    group by candidates.attempt_id, candidates.record_id, attempts.sources
    having count(*) = len(attempts.sources)
),

final as (
    select
        attempt_id,
        record_id,
    from able
    qualify row_number() over (
        partition by attempt_id
        order by {{ draw('attempt_id', 'anchor', 'record_id') }}, record_id
    ) = 1
)

select * from final
