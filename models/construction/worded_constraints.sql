-- One row per attempt and source (text, photo) that the writer made a constraint of: the first usable.
with draft_requests as (select * from {{ ref('draft_requests') }}),

constraint_drafts as (select * from {{ ref('constraint_drafts') }}),

final as (
    select
        draft_requests.attempt_id,
        draft_requests.source,
        constraint_drafts.claim,
        constraint_drafts.phrase,
        draft_requests.entry_id as origin_id,
        constraint_drafts.sentence as origin_sentence,
    from draft_requests
    inner join constraint_drafts using (request_key)
    where constraint_drafts.error is null and constraint_drafts.claim is not null
    qualify row_number() over (
        partition by draft_requests.attempt_id, draft_requests.source
        order by draft_requests.draft_number
    ) = 1
)

select * from final
