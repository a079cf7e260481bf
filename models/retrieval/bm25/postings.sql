-- One row per word and corpus entry that holds it, with its BM25 weight there.
-- Lucene's BM25 (idf never negative, no k1 + 1), counted within each source. The weight does not
-- depend on the question, and is a decimal: sums of weights are exact in any order. Words that
-- stand in more than stop_word_share of the entries of a large source are left out: they hardly
-- tell entries apart, and most of the time would go into them.
with entry_words as (select * from {{ ref('entry_words') }}),

source_sizes as (
    select
        source,
        count(distinct entry_id) as entry_count,
        sum(occurrences) / count(distinct entry_id) as mean_length,
    from entry_words
    group by source
),

word_sizes as (
    select
        source,
        word,
        count(*) as entries_with_word,
    from entry_words
    group by source, word
),

word_weights as (
    select
        word_sizes.source,
        word_sizes.word,
        source_sizes.mean_length,
        ln(
            1 + (source_sizes.entry_count - word_sizes.entries_with_word + 0.5)
            / (word_sizes.entries_with_word + 0.5)
        ) as idf,
    from word_sizes
    inner join source_sizes using (source)
    where
        word_sizes.entries_with_word <= {{ var('stop_word_entries') }}
        or word_sizes.entries_with_word
        <= {{ var('stop_word_share') }} * source_sizes.entry_count
),

final as (
    select
        entry_words.word,
        entry_words.entry_id,
        (
            word_weights.idf * entry_words.occurrences / (
                entry_words.occurrences + {{ var('bm25_k1') }}::double * (
                    1 - {{ var('bm25_b') }}::double
                    + {{ var('bm25_b') }}::double
                    * entry_words.entry_length / word_weights.mean_length
                )
            )
        )::decimal(9, 6) as weight,
    from entry_words
    inner join word_weights using (source, word)
)

select * from final
