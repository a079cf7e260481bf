-- One row per line of the tip file that is not accepted, with the first reason that holds.
{{ config(
    materialized='staged', inputs=['business', 'tip'],
    pre_hook="{{ keep_lines('tip', ['business_id'], tip_id(), 'text', ['user_id', 'date']) }}",
    post_hook="{{ drop_lines('tip') }}"
) }}
{{ rejected_lines('tip', 'tip') }}
