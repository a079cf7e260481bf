-- One row per passage of a corpus entry: the text that is embedded and judged. Record fields and
-- captions are one passage, a long text is several; empty and repeated texts have none.
with corpus_entries as (select * from {{ ref('corpus_entries') }}),

passages as (select * from {{ ref('passages') }}),

all_passages as (
    select
        entry_id,
        1 as passage_number,
        record_id,
        source,
        source_id,
        content,
    from corpus_entries
    where source != 'text'
    union all
    select
        corpus_entries.entry_id,
        passages.passage_number,
        corpus_entries.record_id,
        corpus_entries.source,
        corpus_entries.source_id,
        passages.content,
    from corpus_entries
    inner join passages on corpus_entries.source_id = passages.text_id
    where corpus_entries.source = 'text'
),

final as (
    select
        entry_id,
        passage_number,
        record_id,
        source,
        source_id,
        content,
        {{ vector_key('document', 'content') }} as vector_key,
    from all_passages
)

select * from final
