-- One row per corpus entry and word, with how often the word stands in it.
with corpus_entries as (select * from {{ ref('corpus_entries') }}),

split_entries as (
    select
        entry_id,
        source,
        {{ words('content') }} as words,
    from corpus_entries
),

listed_words as (
    select
        entry_id,
        source,
        len(words) as entry_length,
        unnest(words) as word,
    from split_entries
),

final as (
    select
        entry_id,
        word,
        source,
        entry_length,
        count(*) as occurrences,
    from listed_words
    group by entry_id, word, source, entry_length
)

select * from final
