select reason, count(*) as attempt_count, from {{ ref('attempt_outcomes') }}
inner join {{ ref('slot_outcomes') }} using (slot_id) where not is_certified group by reason
