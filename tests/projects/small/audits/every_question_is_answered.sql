-- Certified questions without an answer, and every line of a file that holds a bad record.
select qid, from {{ ref('certified_questions') }}
where qid not in (select qid, from {{ ref('answer_sets') }})
union all
select business_id, from {{ ref('stg_businesses') }} where business_id = 'bad'
