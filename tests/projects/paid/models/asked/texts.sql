-- One row per text: each tells of a thing of its own, with praise or without.
select
    number,
    'The place number ' || number || ' has ' || if(number % 3 = 0, 'a rude', 'a friendly')
        || ' waiter and great soup' || number || '.' as content,
    'It has great soup' || number || '.' as claim,
from range(120) as numbers (number)
