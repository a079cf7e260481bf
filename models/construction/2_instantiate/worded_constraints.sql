-- One row per attempt and source (text, photo) that the writer made a constraint of: the first
-- usable. A photo constraint about the same thing as the attempt's text constraint would ask one
-- thing twice.
with draft_requests as (select * from {{ ref('draft_requests') }}),

constraint_drafts as (select * from {{ ref('constraint_drafts') }}),

usable as (
    select
        draft_requests.attempt_id,
        draft_requests.source,
        draft_requests.draft_number,
        constraint_drafts.claim,
        constraint_drafts.phrase,
        draft_requests.entry_id as origin_id,
        constraint_drafts.sentence as origin_sentence,
        lower(regexp_extract(constraint_drafts.claim, '([\p{L}\p{N}]+)\P{L}*$', 1)) as last_word,
    from draft_requests
    inner join constraint_drafts using (request_key)
    where constraint_drafts.error is null and constraint_drafts.claim is not null
),

text_choices as (
    select *
    from usable
    where source = 'text'
    qualify row_number() over (partition by attempt_id order by draft_number) = 1
),

photo_choices as (
    select usable.*
    from usable
    left join text_choices on usable.attempt_id = text_choices.attempt_id
    where
        usable.source = 'photo'
        and usable.last_word is distinct from text_choices.last_word
    qualify row_number() over (
        partition by usable.attempt_id order by usable.draft_number
    ) = 1
),

choices as (
    select * from text_choices
    union all
    select * from photo_choices
),

final as (
    select
        attempt_id,
        source,
        claim,
        phrase,
        origin_id,
        origin_sentence,
    from choices
)

select * from final
