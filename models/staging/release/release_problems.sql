-- One row per thing that is wrong with the imported release, by file and line. is_fatal: the
-- release cannot be evaluated as it is; of a missing record, release_missing says whether it is.
{{ config(post_hook=[{'transaction': false, 'sql': "{{ stop_for_problems(
    'HETERQA_RELEASE: ' ~ env_var('HETERQA_RELEASE', '') ~ ' cannot be evaluated on this collection',
    condition='is_fatal'
) }}"}]) }}
{%- set queries_file, answers_file = 'data/queries.jsonl', 'data/answers.jsonl' %}
{%- set qrels_file = 'data/qrels/test.tsv' %}
{%- if var('release_missing') not in ['stop', 'skip'] %}
    {{ exceptions.raise_compiler_error(
        "release_missing is '" ~ var('release_missing') ~ "': make it stop or skip") }}
{%- endif %}
with query_lines as (select * from {{ ref('stg_release_queries') }}),

answer_lines as (select * from {{ ref('stg_release_answers') }}),

qrel_lines as (select * from {{ ref('stg_release_qrels') }}),

businesses as (select * from {{ ref('stg_businesses') }}),

subset_quotas as (select * from {{ ref('subset_quotas') }}),

-- A line without a qid could be about any question, so that nothing is known to be absent then.
queries as (
    select
        *,
        first_value(line_number) over (partition by qid order by line_number) as first_line,
        bool_or(qid is null) over () as hides_some,
    from query_lines
),

answers as (
    select
        *,
        first_value(line_number) over (partition by qid order by line_number) as first_line,
        bool_or(qid is null) over () as hides_some,
    from answer_lines
),

qrels as (
    select
        *,
        first_value(line_number) over (
            partition by qid, record_id order by line_number
        ) as first_line,
        bool_or(record_id is null) over () as hides_some,
    from qrel_lines
),

listed_answers as (
    select
        line_number,
        qid,
        unnest(record_ids) as record_id,
    from answers
    where fault is null
),

answer_pairs as (
    select
        qid,
        record_id,
        min(line_number) as line_number,
        count(*) as mentions,
    from listed_answers
    group by qid, record_id
),

known_subsets as (
    select string_agg(release_name, ', ' order by release_name) as names
    from subset_quotas
),

unusable_lines as (
    select
        '{{ queries_file }}' as file,
        line_number,
        qid,
        'unusable line' as kind,
        fault || '; repair or remove the line' as problem,
    from queries
    where fault is not null
    union all
    select
        '{{ answers_file }}' as file,
        line_number,
        qid,
        'unusable line' as kind,
        fault || '; repair or remove the line' as problem,
    from answers
    where fault is not null
    union all
    select
        '{{ qrels_file }}' as file,
        line_number,
        qid,
        if(is_header, 'no header', 'unusable line') as kind,
        fault || if(is_header, '; add it above', '; repair or remove the line') as problem,
    from qrels
    where fault is not null
),

repetitions as (
    select
        '{{ queries_file }}' as file,
        line_number,
        qid,
        'duplicate qid' as kind,
        format('repeats the qid ''{}'' of line {}; keep one of them', qid, first_line) as problem,
    from queries
    where qid is not null and line_number > first_line
    union all
    select
        '{{ answers_file }}' as file,
        line_number,
        qid,
        'duplicate qid' as kind,
        format('repeats the qid ''{}'' of line {}; keep one of them', qid, first_line) as problem,
    from answers
    where qid is not null and line_number > first_line
    union all
    select
        '{{ qrels_file }}' as file,
        line_number,
        qid,
        'duplicate pair' as kind,
        format(
            'repeats the pair ''{}'', ''{}'' of line {}; keep one of them',
            qid, record_id, first_line
        ) as problem,
    from qrels
    where fault is null and line_number > first_line
    union all
    select
        '{{ answers_file }}' as file,
        line_number,
        qid,
        'duplicate answer' as kind,
        format('lists the answer ''{}'' of ''{}'' twice; name it once', record_id, qid) as problem,
    from answer_pairs
    where mentions > 1
),

unknown_subsets as (
    select
        '{{ queries_file }}' as file,
        queries.line_number,
        queries.qid,
        'unknown subset' as kind,
        format(
            'has the subset ''{}''; make it one of {}', queries.release_name, known_subsets.names
        ) as problem,
    from queries
    cross join known_subsets
    where queries.fault is null and queries.subset is null
),

empty_answer_sets as (
    select
        '{{ answers_file }}' as file,
        line_number,
        qid,
        'empty answer set' as kind,
        format(
            'lists no answer of ''{}''; name one, or remove the question from every file', qid
        ) as problem,
    from answers
    where fault is null and len(record_ids) = 0
),

wrong_counts as (
    select
        '{{ queries_file }}' as file,
        queries.line_number,
        queries.qid,
        'wrong count' as kind,
        format(
            'has the answer_count {} for ''{}'', and {}, line {}, lists {}; make them agree',
            coalesce(queries.answer_count::varchar, 'of no whole number'), queries.qid,
            '{{ answers_file }}', answers.line_number, len(answers.record_ids)
        ) as problem,
    from queries
    inner join answers using (qid)
    where
        queries.fault is null
        and answers.fault is null
        and answers.line_number = answers.first_line
        and queries.answer_count is distinct from len(answers.record_ids)
    union all
    select
        '{{ answers_file }}' as file,
        line_number,
        qid,
        'wrong count' as kind,
        format(
            'has the answer_count {} for ''{}'' and lists {}; make them agree',
            coalesce(answer_count::varchar, 'of no whole number'), qid, len(record_ids)
        ) as problem,
    from answers
    where fault is null and answer_count is distinct from len(record_ids)
    union all
    select
        '{{ answers_file }}' as file,
        line_number,
        qid,
        'wrong count' as kind,
        format(
            'has {} ids and {} names for ''{}''; give each id its name',
            len(record_ids), name_count, qid
        ) as problem,
    from answers
    where fault is null and name_count != len(record_ids)
),

absent_questions as (
    select
        '{{ queries_file }}' as file,
        line_number,
        qid,
        'qid in one file only' as kind,
        format(
            'has the qid ''{}'', which {} lacks; add it there, or remove it here',
            qid, '{{ answers_file }}'
        ) as problem,
    from queries
    where
        line_number = first_line
        and qid not in (select qid from answers where qid is not null)
        and not exists (select 1 from answers where hides_some)
    union all
    select
        '{{ answers_file }}' as file,
        line_number,
        qid,
        'qid in one file only' as kind,
        format(
            'has the qid ''{}'', which {} lacks; add it there, or remove it here',
            qid, '{{ queries_file }}'
        ) as problem,
    from answers
    where
        line_number = first_line
        and qid not in (select qid from queries where qid is not null)
        and not exists (select 1 from queries where hides_some)
),

unequal_pairs as (
    select
        '{{ answers_file }}' as file,
        answer_pairs.line_number,
        answer_pairs.qid,
        'pair in one file only' as kind,
        format(
            'lists the answer ''{}'' of ''{}'', which {} lacks; add the pair there',
            answer_pairs.record_id, answer_pairs.qid, '{{ qrels_file }}'
        ) as problem,
    from answer_pairs
    left join qrels using (qid, record_id)
    where qrels.line_number is null and not exists (select 1 from qrels where hides_some)
    union all
    select
        '{{ qrels_file }}' as file,
        qrels.line_number,
        qrels.qid,
        'pair in one file only' as kind,
        format(
            'has the pair ''{}'', ''{}'', which is no answer in {}; correct one of the files',
            qrels.qid, qrels.record_id, '{{ answers_file }}'
        ) as problem,
    from qrels
    left join answer_pairs using (qid, record_id)
    where
        qrels.fault is null
        and qrels.line_number = qrels.first_line
        and answer_pairs.line_number is null
        and qrels.qid not in (select qid from answers where fault is not null and qid is not null)
        and not exists (select 1 from answers where hides_some)
),

missing_records as (
    select
        '{{ answers_file }}' as file,
        answer_pairs.line_number,
        answer_pairs.qid,
        'missing record' as kind,
        format(
            'lists the answer ''{}'' of ''{}'', which this collection lacks; use the collection '
            || 'of the release, or leave such questions out with release_missing: skip',
            answer_pairs.record_id, answer_pairs.qid
        ) as problem,
    from answer_pairs
    left join businesses on answer_pairs.record_id = businesses.business_id
    where businesses.business_id is null
),

problems as (
    select * from unusable_lines
    union all
    select * from repetitions
    union all
    select * from unknown_subsets
    union all
    select * from empty_answer_sets
    union all
    select * from wrong_counts
    union all
    select * from absent_questions
    union all
    select * from unequal_pairs
    union all
    select * from missing_records
),

final as (
    select
        file,
        line_number,
        qid,
        kind,
        problem,
        kind != 'missing record' or '{{ var("release_missing") }}' = 'stop' as is_fatal,
    from problems
)

select * from final
