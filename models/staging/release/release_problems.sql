-- One row per thing that is wrong with the imported release, by file and line. is_fatal: the
-- problem stops the build; whether a missing record does, the var release_missing says.
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

-- The lines of all files by their key, which no two lines of a file share. Of a file with a line
-- without a key nothing is known to be absent.
lines as (
    {%- for file, partner, model in [
        (queries_file, answers_file, 'query_lines'), (answers_file, queries_file, 'answer_lines')
    ] %}
    select
        '{{ file }}' as file,
        '{{ partner }}' as partner_file,
        line_number,
        qid,
        null as record_id,
        'qid' as key_kind,
        format('the qid ''{}''', qid) as key_words,
        qid is null as is_keyless,
        fault,
        'repair or remove the line' as advice,
    from {{ model }}
    union all
    {%- endfor %}
    select
        '{{ qrels_file }}' as file,
        '{{ answers_file }}' as partner_file,
        line_number,
        qid,
        record_id,
        'pair' as key_kind,
        format('the pair ''{}'', ''{}''', qid, record_id) as key_words,
        record_id is null as is_keyless,
        fault,
        if(is_header, 'add it above', 'repair or remove the line') as advice,
    from qrel_lines
),

keyed_lines as (
    select
        *,
        first_value(line_number) over (
            partition by file, qid, record_id order by line_number
        ) as first_line,
    from lines
    where not is_keyless
),

files_with_keyless_lines as (select distinct file from lines where is_keyless),

first_answers as (
    select *
    from answer_lines
    qualify row_number() over (partition by qid order by line_number) = 1
),

listed_answers as (
    select
        line_number,
        qid,
        unnest(record_ids) as record_id,
    from answer_lines
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

unusable_lines as (
    select
        file,
        line_number,
        qid,
        if(advice = 'add it above', 'no header', 'unusable line') as kind,
        concat(fault, '; ', advice) as problem,
    from lines
    where fault is not null
),

repetitions as (
    select
        file,
        line_number,
        qid,
        'duplicate ' || key_kind as kind,
        format('repeats {} of line {}; keep one of them', key_words, first_line) as problem,
    from keyed_lines
    where line_number > first_line and (key_kind = 'qid' or fault is null)
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
        line_number,
        qid,
        'unknown subset' as kind,
        format(
            'has the subset ''{}''; make it one of {}', release_name,
            (select string_agg(release_name, ', ' order by release_name) from subset_quotas)
        ) as problem,
    from query_lines
    where fault is null and subset is null
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
    from answer_lines
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
    from query_lines as queries
    inner join first_answers as answers using (qid)
    where
        queries.fault is null
        and answers.fault is null
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
    from answer_lines
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
    from answer_lines
    where fault is null and name_count != len(record_ids)
),

absent_questions as (
    select
        keyed_lines.file,
        keyed_lines.line_number,
        keyed_lines.qid,
        'qid in one file only' as kind,
        format(
            'has {}, which {} lacks; add it there, or remove it here',
            keyed_lines.key_words, keyed_lines.partner_file
        ) as problem,
    from keyed_lines
    left join keyed_lines as partners
        on keyed_lines.partner_file = partners.file and keyed_lines.qid = partners.qid
    where
        keyed_lines.key_kind = 'qid'
        and keyed_lines.line_number = keyed_lines.first_line
        and partners.qid is null
        and keyed_lines.partner_file not in (select file from files_with_keyless_lines)
),

qrel_pairs as (select * from keyed_lines where key_kind = 'pair'),

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
    left join qrel_pairs using (qid, record_id)
    where
        qrel_pairs.line_number is null
        and '{{ qrels_file }}' not in (select file from files_with_keyless_lines)
    union all
    select
        qrel_pairs.file,
        qrel_pairs.line_number,
        qrel_pairs.qid,
        'pair in one file only' as kind,
        format(
            'has {}, which is no answer in {}; correct one of the files',
            qrel_pairs.key_words, qrel_pairs.partner_file
        ) as problem,
    from qrel_pairs
    left join answer_pairs using (qid, record_id)
    where
        qrel_pairs.fault is null
        and qrel_pairs.line_number = qrel_pairs.first_line
        and answer_pairs.line_number is null
        and qrel_pairs.qid not in (
            select qid from answer_lines where fault is not null and qid is not null
        )
        and '{{ answers_file }}' not in (select file from files_with_keyless_lines)
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
