select field, channel, 0.9 as probability_from, 0.95 as mean_probability, 0.9 as true_share, 10 as value_count,
from {{ ref('recovery_audit') }}
