-- One row per line of the user file that is not accepted, with the first reason that holds.
{{ config(
    materialized='staged', inputs=['user'],
    pre_hook="{{ keep_lines('user', ['user_id'], 'user_id') }}",
    post_hook="{{ drop_lines('user') }}"
) }}
-- depends_on: {{ ref('input_problems') }}
{{ rejected_lines('user', 'user_id') }}
