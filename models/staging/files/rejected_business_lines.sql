-- One row per line of the business file that is not accepted, with the first reason that holds.
{{ config(
    materialized='staged', inputs=['business'],
    pre_hook="{{ keep_lines(
        'business', ['business_id'], 'business_id', others=['latitude', 'longitude'],
        fault=off_the_globe()
    ) }}",
    post_hook="{{ drop_lines('business') }}"
) }}
-- depends_on: {{ ref('input_problems') }}
{{ rejected_lines('business', 'business_id') }}
