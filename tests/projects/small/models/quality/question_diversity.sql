select subset, count(*) as questions, 2.0 as average_answers, 9.0 as average_words,
from {{ ref('certified_questions') }} group by subset
