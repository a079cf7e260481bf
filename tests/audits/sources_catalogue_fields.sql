-- Fields of the catalogue that no record has: a name that is spelled otherwise, perhaps.
{{ config(severity='warn') }}

with stg_field_rules as (select * from {{ ref('stg_field_rules') }}),

field_catalog as (select * from {{ ref('field_catalog') }})

select
    field,
    line_number,
from stg_field_rules
where
    field not in ('*', 'categories')
    and field not in (select field from field_catalog)
