-- One row per line of the photo file that is not accepted, with the first reason that holds.
{{ config(
    materialized='staged', inputs=['business', 'photos'],
    pre_hook="{{ keep_lines('photos', ['photo_id', 'business_id'], 'photo_id') }}",
    post_hook="{{ drop_lines('photos') }}"
) }}
{{ rejected_lines('photos', 'photo_id') }}
