-- One row per attempt and piece of the anchor's text or caption that may become a constraint, in
-- the order in which they are tried.
with anchors as (select * from {{ ref('anchors') }}),

attempts as (select * from {{ ref('attempts') }}),

records as (select * from {{ ref('records') }}),

corpus_entries as (select * from {{ ref('corpus_entries') }}),

corpus_passages as (select * from {{ ref('corpus_passages') }}),

entries as (
    select
        anchors.attempt_id,
        corpus_entries.source,
        corpus_entries.entry_id,
        corpus_entries.content,
        records.name || ' ' || array_to_string(records.categories, ' ') as avoid,
    from anchors
    inner join attempts on anchors.attempt_id = attempts.attempt_id
    inner join records on anchors.record_id = records.record_id
    inner join corpus_entries
        on
            anchors.record_id = corpus_entries.record_id
            and list_contains(attempts.sources, corpus_entries.source)
    where
        corpus_entries.source in ('text', 'photo')
        -- A repeated text is judged by its first copy alone.
        and corpus_entries.entry_id in (select entry_id from corpus_passages)
),

drawn as (
    select
        *,
        row_number() over (
            partition by attempt_id, source
            order by {{ draw('attempt_id', 'source entry', 'entry_id') }}, entry_id
        ) as draft_number,
    from entries
),

final as (
    select
        attempt_id,
        source,
        entry_id,
        draft_number,
        content,
        avoid,
        {{ request_key('writer', ['source', 'content', 'avoid'], task='constraint') }}
            as request_key,
    from drawn
    where draft_number <= {{ var('constraint_drafts') }}
)

select * from final
