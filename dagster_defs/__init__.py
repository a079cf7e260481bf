"""Dagster over the whole warehouse: assets, checks, jobs, publishing, exports and the report."""

import os

# Python's tracker of semaphores outlives a process that is stopped, and complains about dbt's.
os.environ.setdefault("PYTHONWARNINGS", "ignore:resource_tracker:UserWarning")
