"""The Dagster instance of a warehouse: its runs and events lie in `<warehouse>/dagster/`."""

from __future__ import annotations

import dagster as dg

from udfs.settings import Settings

# No usage statistics, no questions to new users.
DAGSTER_YAML = """\
telemetry:
  enabled: false
nux:
  enabled: false
"""

# `make run` speaks to the terminal itself; capturing it would hide the terminal from it.
BUILD_YAML = (
    DAGSTER_YAML
    + """\
compute_logs:
  module: dagster._core.storage.noop_compute_log_manager
  class: NoOpComputeLogManager
"""
)
UNFINISHED = [dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.STARTING]


def write_instance_files(settings: Settings) -> None:
    """Write the configuration that `dagster dev` and `make run` read."""
    settings.dagster_home.mkdir(parents=True, exist_ok=True)
    for name, text in (("dagster.yaml", DAGSTER_YAML), ("build.yaml", BUILD_YAML)):
        (settings.dagster_home / name).write_text(text, encoding="utf-8")


def build_instance(settings: Settings) -> dg.DagsterInstance:
    """The instance for a build in this process; its history shows under `make dev`."""
    write_instance_files(settings)
    return dg.DagsterInstance.from_config(str(settings.dagster_home), "build.yaml")


def end_dead_runs(instance: dg.DagsterInstance) -> None:
    """Mark runs whose process died as failed. Only for the holder of the build lock."""
    for run in instance.get_runs(filters=dg.RunsFilter(statuses=UNFINISHED)):
        instance.report_run_failed(run, "its process ended before it was finished")


def failure_reasons(result: dg.ExecuteInProcessResult) -> list[str]:
    """Why each failed step failed: our own words, or the traceback of what we did not expect."""
    reasons = []
    for event in result.get_step_failure_events():
        failure = event.step_failure_data
        if failure.user_failure_data and failure.user_failure_data.description:
            reasons.append(failure.user_failure_data.description)
        else:
            reasons.append(f"{event.step_key} failed unexpectedly\n{failure.error_display_string}")
    return reasons
