-- Claims and phrases that repeat 6 or more words in a row of the text or caption they were made
-- from, or all the content words of one of 3 or more words in their order.
with worded_constraints as (select * from {{ ref('worded_constraints') }}),

corpus_entries as (select * from {{ ref('corpus_entries') }}),

small_words as (select list(word) as words from {{ ref('small_words') }}),

wordings as (
    select
        attempt_id,
        source,
        origin_id,
        {{ words("unnest([claim, phrase])") }} as words,
    from worded_constraints
),

origins as (
    select
        entry_id as origin_id,
        {{ words('content') }} as words,
    from corpus_entries
    where entry_id in (select origin_id from worded_constraints)
),

origin_runs as (
    select distinct
        origin_id,
        unnest([words[start:start + 5] for start in range(1, len(words) - 4)]) as word_run,
    from origins
),

wording_runs as (
    select distinct
        attempt_id,
        source,
        origin_id,
        unnest([words[start:start + 5] for start in range(1, len(words) - 4)]) as word_run,
    from wordings
),

whole_quotes as (
    select
        wordings.attempt_id,
        wordings.source,
        array_to_string(wordings.words, ' ') as words,
    from wordings
    inner join origins on wordings.origin_id = origins.origin_id
    cross join small_words
    where
        {{ spaced_words('wordings.words', 'small_words.words') }}
        like {{ whole_origin('origins.words', 'small_words.words') }}
),

final as (
    select * from whole_quotes
    union all
    select
        wording_runs.attempt_id,
        wording_runs.source,
        array_to_string(wording_runs.word_run, ' ') as words,
    from wording_runs
    inner join origin_runs using (origin_id, word_run)
)

select * from final
