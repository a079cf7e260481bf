select step, reason, count(*) as attempt_count, count(*) as removal_count,
from {{ ref('drop_events') }} group by step, reason
