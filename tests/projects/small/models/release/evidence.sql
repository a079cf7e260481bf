select
    qid,
    record_id,
    'record_field' as family,
    'passes' as support_status,
    'It takes reservations.' as claim_summary,
    'record_field' as source_locator_type,
    'restaurants_reservations' as source_locator,
    'relational_filter' as verification_method,
    1.0::double as confidence,
    false as raw_content_released,
    '{"operator": "=", "value": "trüe"}'::json as details,
from {{ ref('answer_sets') }}
