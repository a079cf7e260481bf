-- One row per distinct claim of H and piece of evidence. Answers of a model.
{{ config(materialized='resumable', answer=judge_answer()) }}

{{ judge_requests('support', ref('support_evidence')) }}
