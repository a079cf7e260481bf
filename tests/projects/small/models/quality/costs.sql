select
    step, 'rules' as models, 7 as answers, 0 as unresolved, 7 as attempts, 0 as input_tokens,
    0 as output_tokens, 0.5 as seconds, 0.0 as cost, 0.0 as cost_per_question, 3 as asked,
    4 as reused, 0 as saved_tokens, 0.0 as saved_seconds, 0.0 as saved_cost,
from (values ('all'), ('construction.judgements')) as steps (step)
inner join (select 1 from {{ ref('stg_businesses') }} limit 1) as any_record on true
