"""Dagster's own storage: in memory during `make run`, in `<warehouse>/dagster/` for `make dev`."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
from dagster._core.definitions.asset_checks.asset_check_evaluation import AssetCheckEvaluation

from udfs.warehouse.settings import Settings

# No usage statistics, no questions to new users.
DAGSTER_YAML = """\
telemetry:
  enabled: false
nux:
  enabled: false
"""
# Metadata of a failure whose reason is a setting or an input file of the user's.
USERS_FAULT = "users_fault"
Results = list[dg.AssetMaterialization | AssetCheckEvaluation]


def write_instance_file(settings: Settings) -> None:
    """Write the configuration that `dagster dev` reads."""
    settings.dagster_home.mkdir(parents=True, exist_ok=True)
    (settings.dagster_home / "dagster.yaml").write_text(DAGSTER_YAML, encoding="utf-8")


def save_results(settings: Settings, result: dg.ExecuteInProcessResult) -> None:
    """Keep the materializations and checks of a build, for report_saved_results.

    Writing some thousand events to Dagster's storage takes longer than dbt itself, so a build keeps
    them in memory and `make dev` catches up.
    """
    results: Results = [
        event.step_materialization_data.materialization
        for event in result.get_asset_materialization_events()
    ]
    results += result.get_asset_check_evaluations()
    write_instance_file(settings)
    _saved_path(settings).write_text(dg.serialize_value(results), encoding="utf-8")


def report_saved_results(settings: Settings) -> None:
    """Show the last build's results in the asset graph."""
    path = _saved_path(settings)
    if not path.exists():
        return
    results = dg.deserialize_value(path.read_text(encoding="utf-8"), list)
    with dg.DagsterInstance.from_config(str(settings.dagster_home)) as instance:
        for result in results:
            instance.report_runless_asset_event(result)
    path.unlink()


def was_interrupted(result: dg.ExecuteInProcessResult) -> bool:
    """Whether Ctrl-C, or a request to terminate, ended the run."""
    errors = [event.step_failure_data.error for event in result.get_step_failure_events()]
    name = dg.DagsterExecutionInterruptedError.__name__
    return any(error is not None and error.cls_name == name for error in errors)


def is_users_fault(result: dg.ExecuteInProcessResult) -> bool:
    """Whether the run failed for a setting or an input file of the user's."""
    failures = [event.step_failure_data for event in result.get_step_failure_events()]
    given = [failure.user_failure_data for failure in failures if failure.user_failure_data]
    return any(USERS_FAULT in failure.metadata for failure in given)


def failure_reasons(result: dg.ExecuteInProcessResult) -> list[str]:
    """Why each failed step failed: the sentence of an expected error, else the traceback."""
    reasons = []
    for event in result.get_step_failure_events():
        failure = event.step_failure_data
        if failure.user_failure_data and failure.user_failure_data.description:
            reasons.append(failure.user_failure_data.description)
        else:
            reasons.append(f"{event.step_key} failed unexpectedly\n{failure.error_display_string}")
    return reasons


def _saved_path(settings: Settings) -> Path:
    return settings.dagster_home / "last_build.json"
