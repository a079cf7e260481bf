select 1 as step_number, 'attempts' as step, count(*) as attempt_count, from {{ ref('attempts') }}
union all
select 2, 'certified', count(*) from {{ ref('certified_questions') }}
