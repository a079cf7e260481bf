-- One row per subset: how varied its questions are; subset `all` is every question.
-- Words are `[A-Za-z0-9]+`, lower-cased and pooled over the questions, as in HeterQA's own numbers.
with questions as (
    select * from {{ evaluated('certified_questions', 'imported_questions') }}
),

pooled_questions as (
    select
        qid,
        'all' as subset,
        question,
        answer_count,
    from questions
    union all
    select
        qid,
        subset,
        question,
        answer_count,
    from questions
),

question_words as (
    select
        qid,
        subset,
        answer_count,
        regexp_extract_all(lower(question), '[a-z0-9]+') as words,
    from pooled_questions
),

subset_sizes as (
    select
        subset,
        count(*) as questions,
        avg(len(words)) as average_words,
        avg(answer_count) as average_answers,
    from question_words
    group by subset
),

listed_words as (
    select
        subset,
        unnest(words) as word,
    from question_words
),

word_counts as (
    select
        subset,
        word,
        count(*) as occurrences,
    from listed_words
    group by subset, word
),

word_shares as (
    select
        subset,
        occurrences,
        occurrences / sum(occurrences) over (partition by subset) as share,
    from word_counts
),

subset_words as (
    select
        subset,
        sum(occurrences)::bigint as word_count,
        count(*) as distinct_word_count,
        -sum(share * log2(share)) as word_entropy_bits,
    from word_shares
    group by subset
),

final as (
    select
        subset_sizes.subset,
        subset_sizes.questions,
        round(subset_sizes.average_words, 4) as average_words,
        round(subset_sizes.average_answers, 4) as average_answers,
        subset_words.word_count,
        subset_words.distinct_word_count,
        round(subset_words.word_entropy_bits, 4) as word_entropy_bits,
        round(subset_words.distinct_word_count / subset_words.word_count, 4) as type_token_ratio,
    from subset_sizes
    left join subset_words using (subset)
)

select * from final
