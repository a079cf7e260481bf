select field, channel, true as is_true, 0.9 as threshold, 0.9 as precision, 0.5 as recall,
from {{ ref('recovery_audit') }}
