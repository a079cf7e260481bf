select slots.slot_id, slots.subset, 1 as attempt_count, certified.qid is not null as is_certified,
from {{ ref('slots') }} as slots
left join {{ ref('attempt_outcomes') }} as outcomes using (slot_id)
left join {{ ref('certified_questions') }} as certified using (attempt_id)
