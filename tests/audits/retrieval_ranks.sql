-- Places in a run that do not follow from its scores: descending, then by record, without gaps.
with runs as (select * from {{ ref('runs') }}),

final as (
    select
        run,
        qid,
        record_id,
        rank,
        row_number() over (
            partition by run, qid order by score desc, record_id asc
        ) as true_rank,
    from runs
    qualify rank != true_rank
)

select * from final
