select '{{ invocation_id }}' as invocation_id, 'judgements' as model, 3 as asked, 4 as reused, 0.5 as seconds,
from {{ ref('stg_businesses') }} limit 1
