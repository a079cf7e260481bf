-- One row per line of the review file that is not accepted, with the first reason that holds.
{{ config(
    materialized='staged', inputs=['business', 'review'],
    pre_hook="{{ keep_lines('review', ['review_id', 'business_id'], 'review_id', 'text') }}",
    post_hook="{{ drop_lines('review') }}"
) }}
{{ rejected_lines('review', 'review_id') }}
