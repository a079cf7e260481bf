-- One row per question, source and record: the record's best entry by BM25, to the retrieval depth.
with queries as (select * from {{ ref('queries') }}),

corpus_entries as (select * from {{ ref('corpus_entries') }}),

postings as (select * from {{ ref('postings') }}),

listed_words as (
    select
        qid,
        unnest({{ words('query') }}) as word,
    from queries
),

question_words as (
    select
        qid,
        word,
        count(*) as occurrences,
    from listed_words
    group by qid, word
),

entry_scores as (
    select
        question_words.qid,
        postings.entry_id,
        sum(question_words.occurrences * postings.weight) as score,
    from question_words
    inner join postings using (word)
    group by question_words.qid, postings.entry_id
),

record_scores as (
    select
        entry_scores.qid,
        corpus_entries.source,
        corpus_entries.record_id,
        max(entry_scores.score) as score,
        min_by(
            entry_scores.entry_id,
            {'descending': -entry_scores.score, 'entry_id': entry_scores.entry_id}
        ) as entry_id,
    from entry_scores
    inner join corpus_entries using (entry_id)
    group by entry_scores.qid, corpus_entries.source, corpus_entries.record_id
),

final as (
    select
        qid,
        source,
        record_id,
        row_number() over (partition by qid, source order by score desc, record_id asc) as rank,
        score::double as score,
        entry_id,
    from record_scores
    qualify rank <= {{ var('retrieval_depth') }}
)

select * from final
