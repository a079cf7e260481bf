"""What `make run` prints at its end: the leaderboard, the counts, and where to look next."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import duckdb
from rich.console import Console
from rich.table import Table

from dagster_defs.report import (
    METRICS,
    PLOTTED_METRIC,
    read_asked,
    read_leaderboard,
    subset_order,
)
from udfs.settings import Settings

EXPLAIN = """\
select claim_summary, family, source_locator_type, source_locator, confidence
from release.evidence
where qid = '{qid}' and business_id = '{record_id}'"""


def print_summary(settings: Settings, seconds: float) -> None:
    """Print the published warehouse's results. seconds: how long the build took."""
    console = Console(highlight=False)
    with duckdb.connect(settings.published_path, read_only=True) as connection:
        leaderboard = read_leaderboard(connection)
        console.print()
        console.print(_overall_table(leaderboard.overall))
        console.print(_subset_table(connection, leaderboard.by_subset, list(leaderboard.overall)))
        asked = read_asked(connection)
        example = connection.execute(
            "select qid, record_id from construction.answer_sets"
            " order by qid, rank, record_id limit 1"
        ).fetchone()
        (question_count,) = connection.execute(
            "select count(*) from construction.certified_questions"
        ).fetchone() or (0,)

    calls = sum(row["asked"] for row in asked)
    reused = sum(row["reused"] for row in asked)
    console.print(
        f"{question_count} certified questions; models asked {calls:,} times, "
        f"{reused:,} answers reused; {_duration(seconds)}"
    )
    console.print("\nWhere to look next")
    for path, what in (
        (settings.report_path, "questions, answers, evidence, plots"),
        (settings.published_path, "every table, for any DuckDB client"),
        (settings.release_dir, "the benchmark as files"),
        (settings.runs_dir, "the runs in the TREC format"),
    ):
        console.print(f"  {_short(path):<32} {what}", markup=False, soft_wrap=True)
    console.print(f"  {'make dev':<32} the graph of all tables and checks", soft_wrap=True)
    if example:
        query = EXPLAIN.format(qid=example[0], record_id=example[1])
        console.print("\nWhy is a record an answer? Ask the published warehouse:")
        console.print("  " + query.replace("\n", "\n  "), markup=False, soft_wrap=True)


def _overall_table(overall: dict[str, dict[str, float]]) -> Table:
    table = Table("run", title="Leaderboard, all questions", title_justify="left")
    for metric in METRICS:
        table.add_column(metric, justify="right")
    for run, values in overall.items():
        table.add_row(run, *(_fraction(values.get(metric)) for metric in METRICS))
    return table


def _subset_table(
    connection: duckdb.DuckDBPyConnection,
    by_subset: dict[str, dict[str, float]],
    runs: list[str],
) -> Table:
    counts: dict[Any, Any] = dict(
        connection.execute(
            "select subset, count(*) from construction.certified_questions group by subset"
        ).fetchall()
    )
    table = Table("subset", title=f"{PLOTTED_METRIC} by subset", title_justify="left")
    table.add_column("questions", justify="right")
    for run in runs:
        table.add_column(run, justify="right")
    for subset in sorted(counts | by_subset, key=subset_order):
        values = by_subset.get(subset, {})
        count = str(counts.get(subset, 0))
        table.add_row(subset, count, *(_fraction(values.get(run)) for run in runs))
    return table


def _fraction(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _short(path: Path) -> str:
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative
