-- One row per line of an input file that did not enter the warehouse, with the reason. Too many
-- such lines of a file stop the build here, before the texts and photos of the file are read.
{{ config(post_hook=[
    {'sql': '{{ stop_for_rejected_rows() }}', 'transaction': false},
]) }}
-- depends_on: {{ ref('input_counts') }}
with final as (
    {%- for name in ['business', 'review', 'tip', 'user', 'checkin', 'photos'] %}
    select
        '{{ name }}' as file,
        line_number,
        reason,
    from {{ ref('rejected_' ~ name ~ '_lines') }}
    {{ 'union all' if not loop.last }}
    {%- endfor %}
)

select * from final
