"""Model roles and the dbt-duckdb plugin that registers them as SQL functions."""
