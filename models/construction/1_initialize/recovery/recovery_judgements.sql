-- One row per distinct claim and piece of evidence that the recovery asks about. Answers of a
-- model.
{{ config(materialized='resumable', answer=judge_answer()) }}

{{ judge_requests('support', ref('recovery_evidence')) }}
