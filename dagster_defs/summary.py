"""What `make run` prints at its end: the leaderboard, the counts, and where to look next."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb
from rich.console import Console
from rich.table import Table

from dagster_defs.outcomes import Slots, explain_missing, read_slots
from dagster_defs.report import (
    METRICS,
    PLOTTED_METRIC,
    read_costs,
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
        slots = read_slots(connection)
        console.print(_subset_table(slots, leaderboard.by_subset, list(leaderboard.overall)))
        costs = read_costs(connection)[-1]
        example = connection.execute(
            "select qid, record_id from construction.answer_sets"
            " order by qid, rank, record_id limit 1"
        ).fetchone()
        missing = explain_missing(connection)

    console.print(
        f"{sum(slot.certified for slot in slots.values())} of "
        f"{sum(slot.wanted for slot in slots.values())} questions certified; "
        f"models asked {costs['asked']:,} times, {costs['reused']:,} answers reused; "
        f"{_duration(seconds)}",
        soft_wrap=True,
    )
    if costs["cost"]:
        console.print(
            f"The models have cost ${costs['cost']:.4f} so far, "
            f"${costs['cost_per_question']:.4f} a question; "
            f"stored answers saved ${costs['saved_cost']:.4f} now",
            soft_wrap=True,
        )
    if costs["unresolved"]:
        console.print(
            f"{costs['unresolved']:,} requests are unresolved (quality.responses says why); "
            "`make retry-unresolved` asks them again",
            soft_wrap=True,
        )
    if missing:
        console.print(f"What ended the attempts at the others: {missing}", soft_wrap=True)
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
    slots: dict[str, Slots], by_subset: dict[str, dict[str, float]], runs: list[str]
) -> Table:
    table = Table("subset", title=f"{PLOTTED_METRIC} by subset", title_justify="left")
    table.add_column("certified", justify="right")
    for run in runs:
        table.add_column(run, justify="right")
    for subset in sorted(slots, key=subset_order):
        values = by_subset.get(subset, {})
        table.add_row(subset, str(slots[subset]), *(_fraction(values.get(run)) for run in runs))
    return table


def _fraction(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _short(path: Path) -> str:
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative
