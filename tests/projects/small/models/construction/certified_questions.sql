select 'q-1' as qid, attempt_id, 'S+T' as subset, question, 2 as answer_count,
from {{ ref('questions') }} where attempt_id = 'a-1'
