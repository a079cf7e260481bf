"""Model roles and the dbt-duckdb plugin that registers them as SQL functions."""

import os

# Libraries that report their use over the network, unless told otherwise before they are imported.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
