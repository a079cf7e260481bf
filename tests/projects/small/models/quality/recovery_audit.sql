select
    field, 'all' as channel, 'true' as value, 'field' as basis, 0.9 as threshold,
from (values ('wifi'), ('<b>"pets" & more</b>')) as fields (field)
