select attempts.attempt_id, replace(attempts.attempt_id, 'a-', 's-') as slot_id,
    if(certified.attempt_id is null, 'too many candidates', null) as reason,
from {{ ref('attempts') }} as attempts
left join {{ ref('certified_questions') }} as certified using (attempt_id)
