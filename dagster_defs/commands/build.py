"""`make run`: build the warehouse from its input files, publish it, and print the results."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import NoReturn

from dagster_defs.terminal.progress import say, short_path
from dagster_defs.warehouse.lock import build_lock, check_build_file, make_warehouse
from udfs.endpoint.budget import check_prices
from udfs.profiles.profile import check_profile, load_profile
from udfs.warehouse.collection import input_files, written_files
from udfs.warehouse.errors import UserError
from udfs.warehouse.settings import Settings, settings_help

DESCRIPTION = """\
Build the warehouse: read the collection, construct and certify the questions, run the retrieval
methods, publish heterqa.duckdb, and write release/, runs/ and report.html.

settings, from the environment or .env (see .env.example):
"""
FAILED, UNUSABLE, INTERRUPTED = 1, 2, 130


def main(arguments: list[str] | None = None) -> int:
    """Run a build; the exit code is 0, 1 (it failed) or 2 (a setting or a file is unusable)."""
    parser = argparse.ArgumentParser(
        prog="python -m dagster_defs.commands.build",
        description=DESCRIPTION + settings_help(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--retry-unresolved",
        action="store_true",
        help="ask again what has no answer: failed, refused and unusable calls",
    )
    chosen = parser.parse_args(arguments)
    started = time.monotonic()
    try:
        settings = Settings.from_env()
        if chosen.retry_unresolved:
            settings = settings.model_copy(update={"retry_unresolved": True})
        preflight(settings)
        with build_lock(settings):
            check_build_file(settings)
            return _build(settings, started)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return UNUSABLE
    except KeyboardInterrupt:
        # dbt still runs in its thread. Every finished chunk is committed, so just end.
        print(
            "\nstopped; what was answered is kept, `make run` goes on from there", file=sys.stderr
        )
        sys.stdout.flush()
        os._exit(INTERRUPTED)


def preflight(settings: Settings, needs_keys: bool = True) -> None:
    """Check the settings, the profile and the files before a build starts. Raises UserError."""
    profile = load_profile(settings.profile_path)
    check_profile(profile, settings.profile_path, needs_keys)
    check_prices(settings.max_cost, profile.paid_roles)
    if not settings.is_sample_city:
        input_files(settings)
    written_files(settings)
    make_warehouse(settings)


def _build(settings: Settings, started: float) -> int:
    what = "the sample city" if settings.is_sample_city else str(settings.data)
    if settings.release:
        what += f", with the questions of {settings.release}"
    say(f"Building {short_path(settings.warehouse)} from {what} (profile {settings.profile})")

    # Imported here: Dagster and dbt take seconds, which an error above should not cost.
    from dagster import DagsterInstance

    from dagster_defs.assets.define import define
    from dagster_defs.terminal.summary import print_summary
    from dagster_defs.warehouse.dbt import BuildError
    from dagster_defs.warehouse.instance import (
        failure_reasons,
        is_users_fault,
        save_results,
        was_interrupted,
    )

    try:
        job = define(settings).resolve_job_def("build")
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return FAILED

    published = _file_number(settings.published_path)
    with DagsterInstance.ephemeral() as instance:
        result = job.execute_in_process(
            instance=instance,
            raise_on_error=False,
            run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        )
    if was_interrupted(result):
        _stop()
    save_results(settings, result)
    if not result.success:
        for reason in failure_reasons(result):
            print(f"error: {reason}", file=sys.stderr)
        if published is not None and published == _file_number(settings.published_path):
            print(f"{settings.published_path} is as it was.", file=sys.stderr)
        return UNUSABLE if is_users_fault(result) else FAILED
    print_summary(settings, time.monotonic() - started)
    return 0


def _file_number(path: Path) -> int | None:
    """The inode of a file, which differs from that of its replacement; None without the file."""
    return path.stat().st_ino if path.exists() else None


def _stop() -> NoReturn:
    """End at once, lock in hand: dbt still runs in its thread, and each finished chunk is kept."""
    print("\nstopped; the answers so far are kept for the next `make run`", file=sys.stderr)
    sys.stderr.flush()
    sys.stdout.flush()
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    sys.exit(main())
