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
        content,
    from corpus_entries
    where source != 'text'
    union all
    select
        'text:' || text_id as entry_id,
        passage_number,
        record_id,
        'text' as source,
        content,
    from passages
),

final as (
    select
        entry_id,
        passage_number,
        record_id,
        source,
        content,
        {{ vector_key('document', 'content') }} as vector_key,
    from all_passages
)

select * from final
