select run, subset, metric, 1.0::double as value, 1 as questions,
from (select distinct run, from {{ ref('runs') }}) as runs
cross join (values ('all'), ('S+T')) as subsets (subset)
cross join (values ('hit@5'), ('recall@10'), ('mrr@10')) as metrics (metric)
