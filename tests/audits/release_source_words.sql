-- Claims and questions that repeat 8 or more words in a row of a text or caption in their evidence,
-- or the whole of one of 3 or more words that they were made from, but for small words.
with evidence as (select * from {{ ref('evidence') }}),

queries as (select * from {{ ref('queries') }}),

small_words as (select list(word) as words from {{ ref('small_words') }}),

located_contents as (
    select
        evidence.qid,
        evidence.source_locator,
        texts.content,
    from evidence
    inner join {{ ref('texts') }} as texts
        on
            evidence.source_locator_type in ('review_id', 'tip_id')
            and evidence.source_locator = texts.text_id
    union
    select
        evidence.qid,
        evidence.source_locator,
        photos.caption as content,
    from evidence
    inner join {{ ref('photos') }} as photos
        on
            evidence.source_locator_type = 'photo_id_stem'
            and evidence.source_locator = {{ photo_stem('photos.photo_id') }}
),

content_words as (
    select
        qid,
        source_locator,
        {{ words('content') }} as words,
    from located_contents
),

content_runs as (
    select
        qid,
        source_locator,
        unnest([words[start:start + 7] for start in range(1, len(words) - 6)]) as word_run,
    from content_words
),

origins as (
    select distinct
        certified_questions.qid,
        corpus_entries.entry_id,
        {{ words('corpus_entries.content') }} as words,
    from {{ ref('certified_questions') }} as certified_questions
    inner join {{ ref('constraint_parts') }} as constraint_parts
        on certified_questions.attempt_id = constraint_parts.attempt_id
    inner join {{ ref('corpus_entries') }} as corpus_entries
        on constraint_parts.origin_id = corpus_entries.entry_id
    where constraint_parts.part_kind = 'claim'
),

released_words as (
    select
        qid,
        {{ words('query') }} as words,
    from queries
    union
    select
        qid,
        {{ words('claim_summary') }} as words,
    from evidence
),

released_runs as (
    select
        qid,
        unnest([words[start:start + 7] for start in range(1, len(words) - 6)]) as word_run,
    from released_words
),

final as (
    select distinct
        released_runs.qid,
        content_runs.source_locator,
        array_to_string(released_runs.word_run, ' ') as words,
    from released_runs
    inner join content_runs using (qid, word_run)
    union
    select
        released_words.qid,
        origins.entry_id as source_locator,
        array_to_string(origins.words, ' ') as words,
    from released_words
    inner join origins on released_words.qid = origins.qid
    cross join small_words
    where
        {{ spaced_words('released_words.words', 'small_words.words') }}
        like {{ whole_origin('origins.words', 'small_words.words', gap='') }}
)

select * from final
