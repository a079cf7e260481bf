"""`make estimate`: the model calls of a build, step by step, counted before any of them is paid."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from typing import NamedTuple

import duckdb
from rich.console import Console
from rich.table import Column, Table

from dagster_defs.commands.build import FAILED, UNUSABLE, preflight
from dagster_defs.terminal.progress import Progress, say
from dagster_defs.warehouse.lock import build_lock, check_build_file
from udfs.profiles.profile import load_profile
from udfs.warehouse.errors import UserError
from udfs.warehouse.settings import Settings

DESCRIPTION = """\
Count the requests of a build and estimate their tokens and cost, asking nothing that is paid for.

Every step is gone through in a copy of the warehouse, in which the embedded models stand in for
the endpoints of the profile: later steps depend on the answers of earlier ones, so their figures
are estimates. Stored answers count as answered. The copy is removed at the end.
"""
# Seeds and models, no tests.
COMMAND = ["--no-write-json", "build"]
COMMAND += ["--exclude-resource-type", "test", "--exclude-resource-type", "unit_test"]


class Step(NamedTuple):
    """One table of answers: requests in all, those to be asked, and what these would take."""

    name: str
    requests: int
    to_ask: int
    input_tokens: int
    output_tokens: int
    cost: float


def main(arguments: list[str] | None = None) -> int:
    """Print the estimate; the exit code is 0, 1 (a step failed) or 2 (it could not start)."""
    argparse.ArgumentParser(
        prog="python -m dagster_defs.commands.estimate",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    ).parse_args(arguments)
    try:
        settings = Settings.from_env()
        preflight(settings, needs_keys=False)
        with build_lock(settings):
            check_build_file(settings)
            return _estimate(settings)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return UNUSABLE


def _estimate(settings: Settings) -> int:
    # Imported here: dbt takes seconds, which an error above should not cost.
    from dagster_defs.inputs.files import describe_inputs, ensure_sample_city
    from dagster_defs.warehouse.dbt import BuildError, load_manifest, run_dbt

    paid = load_profile(settings.profile_path).paid_roles
    names = ", ".join(paid) or "no role"
    say(f"Estimating a build with profile {settings.profile}: an endpoint answers {names}")
    ensure_sample_city(settings)
    scratch = settings.model_copy(update={"warehouse": settings.estimate_dir, "dry_run": True})
    shutil.rmtree(scratch.warehouse, ignore_errors=True)
    scratch.warehouse.mkdir(parents=True)
    try:
        if settings.build_path.exists():
            shutil.copyfile(settings.build_path, scratch.build_path)
        if settings.descriptions_path.exists():
            shutil.copyfile(settings.descriptions_path, scratch.descriptions_path)
        describe_inputs(scratch)
        if settings.ledger_dir.exists():
            shutil.copytree(settings.ledger_dir, scratch.ledger_dir)
        os.environ.update(scratch.to_env())
        progress = Progress(load_manifest(scratch))
        for event in run_dbt(scratch, COMMAND, progress.wait):
            progress.show(event)
        steps = read_steps(scratch)
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return FAILED
    finally:
        shutil.rmtree(scratch.warehouse, ignore_errors=True)
    _print(steps)
    return 0


def read_steps(scratch: Settings) -> list[Step]:
    """The counts of the dry run in the scratch warehouse, in the order of the build."""
    with duckdb.connect(scratch.build_path, read_only=True) as connection:
        rows = connection.execute(
            """
            select
                model,
                asked + reused,
                asked,
                input_tokens,
                output_tokens,
                cost,
            from quality.asked
            where invocation_id = (
                select invocation_id from quality.asked order by rowid desc limit 1
            )
            order by rowid
            """
        ).fetchall()
    return [Step(*row) for row in rows]


def _print(steps: list[Step]) -> None:
    table = Table(
        Column("step", no_wrap=True), title="What a build would ask", title_justify="left"
    )
    for column in ("requests", "to ask", "tokens in", "out", "US $"):
        table.add_column(column, justify="right")
    for step in steps:
        table.add_row(step.name, *_numbers(step))
    table.add_section()
    sums = [sum(values) for values in zip(*(step[1:] for step in steps), strict=True)]
    table.add_row("all", *_numbers(Step("all", *sums)))
    console = Console(highlight=False)
    console.print()
    console.print(table)
    console.print(
        "Tokens and dollars are estimates; local models cost nothing. "
        "HETERQA_MAX_COST stops a build before its cost passes that limit.",
        soft_wrap=True,
    )


def _numbers(step: Step) -> list[str]:
    counts = (step.requests, step.to_ask, step.input_tokens, step.output_tokens)
    return [*(f"{count:,}" for count in counts), f"{step.cost:.4f}"]


if __name__ == "__main__":
    sys.exit(main())
