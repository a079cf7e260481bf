"""Dagster over the whole warehouse: assets, checks, jobs, publishing, exports and the report."""
