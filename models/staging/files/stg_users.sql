-- One row per accepted line of the user file. Names and friends are not even read.
{{ config(materialized='staged', inputs=['user']) }}
-- depends_on: {{ ref('rejected_rows') }}
with lines as (
    select * from {{ accepted_lines('user', 'user_id') }}
),

final as (
    select
        {{ hashed_user('user_id') }} as user_id,
        line_number,
    from lines
)

select * from final
