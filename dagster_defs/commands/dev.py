"""`make dev`: Dagster's page over the warehouse, on this machine only."""

from __future__ import annotations

import argparse
import os
import sys

from dagster_defs.commands.build import FAILED, UNUSABLE, preflight
from udfs.warehouse.errors import UserError
from udfs.warehouse.settings import Settings


def main(arguments: list[str] | None = None) -> int:
    """Check the settings, parse the project, then become `dagster dev`."""
    argparse.ArgumentParser(
        prog="python -m dagster_defs.commands.dev",
        description="Show the tables, the checks and the results of the last build in a browser.",
    ).parse_args(arguments)
    try:
        settings = Settings.from_env()
        preflight(settings)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return UNUSABLE

    from dagster_defs.warehouse.dbt import BuildError, load_manifest
    from dagster_defs.warehouse.instance import report_saved_results, write_instance_file

    write_instance_file(settings)
    os.environ.update(settings.to_env())
    os.environ["DAGSTER_HOME"] = str(settings.dagster_home)
    try:
        load_manifest(settings)
        report_saved_results(settings)
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return FAILED
    port = str(settings.port)
    print(f"The asset graph opens on http://127.0.0.1:{port}; end it with Ctrl-C.", flush=True)
    command = ["dagster", "dev", "-m", "dagster_defs.definitions", "-h", "127.0.0.1", "-p", port]
    return os.execv(sys.executable, [sys.executable, "-m", *command])


if __name__ == "__main__":
    sys.exit(main())
