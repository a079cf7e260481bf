"""`make clean`: remove what builds wrote. What people decided (decisions/) stays, and what was paid
(ledger/). Answers of models go with the tables: `make export-ledger` before, to keep them.

The lock file stays too: a build that waits on a removed file would not see the next one's.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from dagster_defs.warehouse.lock import build_lock
from udfs.warehouse.errors import UserError
from udfs.warehouse.settings import Settings

DESCRIPTION = """\
Remove what builds wrote to the warehouse, the answers of models among it.

What people decided (decisions/) and what was paid (ledger/) stays.
"""


def clean(settings: Settings) -> list[Path]:
    """Remove every path that a build writes, and nothing else; the removed paths."""
    written = [
        settings.build_path,
        settings.build_path.with_name("build.duckdb.wal"),
        settings.published_path,
        settings.descriptions_path,
        settings.inputs_dir,
        settings.release_dir,
        settings.runs_dir,
        settings.report_path,
        settings.recovery_plot_path,
        settings.record_points_path,
        settings.sample_city_dir,
        settings.warehouse / "truth",
        settings.empty_dir,
        settings.dbt_target_dir,
        settings.dagster_home,
        settings.estimate_dir,
        *settings.warehouse.glob(".*.new"),
        *settings.warehouse.glob(".*.old"),
        *settings.warehouse.glob(f".{settings.published_path.name}.*"),
        *settings.warehouse.glob(f".{settings.report_path.name}.*"),
        *settings.warehouse.glob(f".{settings.recovery_plot_path.name}.*"),
    ]
    removed = [path for path in written if path.exists()]
    for path in removed:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    return removed


def main(arguments: list[str] | None = None) -> int:
    """Clean the warehouse; the exit code is 0 or 2 (it is being built, or a setting is wrong)."""
    argparse.ArgumentParser(
        prog="python -m dagster_defs.commands.clean",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    ).parse_args(arguments)
    try:
        settings = Settings.from_env()
        if settings.warehouse.is_dir():
            with build_lock(settings):
                removed = clean(settings)
            print(f"{settings.warehouse}: removed {len(removed)} files and folders of builds")
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
