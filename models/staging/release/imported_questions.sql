-- One row per question of the imported release whose answers are all records of this collection.
with query_lines as (select * from {{ ref('stg_release_queries') }}),

missing_records as (
    select qid
    from {{ ref('release_problems') }}
    where kind = 'missing record'
),

final as (
    select
        qid,
        subset,
        query as question,
        answer_count,
        {{ vector_key('query', 'query') }} as vector_key,
    from query_lines
    where fault is null and qid not in (select qid from missing_records)
)

select * from final
