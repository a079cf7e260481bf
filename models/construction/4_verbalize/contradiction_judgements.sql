-- One row per distinct question and item that is read against it. Answers of a model.
{{ config(materialized='resumable', answer=judge_answer()) }}

{{ judge_requests('contradiction', ref('contradiction_evidence')) }}
