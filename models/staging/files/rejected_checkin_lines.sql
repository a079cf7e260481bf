-- One row per line of the checkin file that is not accepted, with the first reason that holds.
{{ config(
    materialized='staged', inputs=['business', 'checkin'],
    pre_hook="{{ keep_lines('checkin', ['business_id'], 'business_id') }}",
    post_hook="{{ drop_lines('checkin') }}"
) }}
{{ rejected_lines('checkin', 'business_id') }}
