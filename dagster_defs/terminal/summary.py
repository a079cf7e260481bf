"""What `make run` prints at its end: the leaderboard, the counts, and where to look next."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb
from rich.console import Console
from rich.table import Table

from dagster_defs.inputs.imported import describe_imported, read_imported
from dagster_defs.pages.report import (
    METRICS,
    PLOTTED_METRIC,
    Leaderboard,
    read_costs,
    read_leaderboard,
    subset_order,
)
from dagster_defs.terminal.outcomes import explain_missing, read_slots
from dagster_defs.terminal.progress import short_path
from udfs.warehouse.journal import paid_so_far
from udfs.warehouse.settings import Settings

EXPLAIN = """\
select claim_summary, family, source_locator_type, source_locator, confidence
from release.evidence
where qid = '{qid}' and record_id = '{record_id}'"""


@dataclass(frozen=True)
class Questions:
    """The questions in the summary: a cell by subset under a heading, and a sentence.

    missing: what ended the attempts at slots that stayed empty; example: a question and an answer
    """

    heading: str
    by_subset: dict[str, str]
    sentence: str
    missing: str = ""
    example: tuple[str, str] | None = None


def print_summary(settings: Settings, seconds: float) -> None:
    """Print the published warehouse's results. seconds: how long the build took."""
    console = Console(highlight=False)
    with duckdb.connect(settings.published_path, read_only=True) as connection:
        leaderboard = read_leaderboard(connection)
        console.print()
        console.print(_overall_table(leaderboard.overall))
        questions = (_imported if settings.release else _constructed)(connection)
        console.print(_subset_table(questions, leaderboard))
        costs = read_costs(connection)[-1]

    console.print(
        f"{questions.sentence}; "
        f"models asked {costs['asked']:,} times, {costs['reused']:,} answers reused; "
        f"{_duration(seconds)}",
        soft_wrap=True,
    )
    # Calls without an answer were paid for, and imported answers by another warehouse.
    paid = paid_so_far(settings).cost
    if costs["cost"] or paid:
        console.print(
            f"The answers have cost ${costs['cost']:.4f}, "
            f"${costs['cost_per_question'] or 0:.4f} a question; this warehouse has paid "
            f"${paid:.4f} so far; stored answers saved ${costs['saved_cost']:.4f} now",
            soft_wrap=True,
        )
    if costs["unresolved"]:
        console.print(
            f"{costs['unresolved']:,} requests are unresolved (quality.responses says why); "
            "`make retry-unresolved` asks them again",
            soft_wrap=True,
        )
    if questions.missing:
        console.print(f"What ended the attempts at the others: {questions.missing}", soft_wrap=True)
    console.print("\nWhere to look next")
    release = (settings.release_dir, "the benchmark as files")
    if settings.release:
        release = (settings.release, "the release that is evaluated")
    for path, what in (
        (settings.report_path, "questions, answers, evidence, plots"),
        (settings.published_path, "every table, for any DuckDB client"),
        release,
        (settings.runs_dir, "the runs in the TREC format"),
    ):
        console.print(f"  {short_path(path):<32} {what}", markup=False, soft_wrap=True)
    console.print(f"  {'make dev':<32} the graph of all tables and checks", soft_wrap=True)
    if questions.example:
        qid, record_id = questions.example
        query = EXPLAIN.format(qid=qid, record_id=record_id)
        console.print("\nWhy is a record an answer? Ask the published warehouse:")
        console.print("  " + query.replace("\n", "\n  "), markup=False, soft_wrap=True)


def _constructed(connection: duckdb.DuckDBPyConnection) -> Questions:
    slots = read_slots(connection)
    certified = sum(slot.certified for slot in slots.values())
    wanted = sum(slot.wanted for slot in slots.values())
    return Questions(
        heading="certified",
        by_subset={subset: str(slot) for subset, slot in slots.items()},
        sentence=f"{certified} of {wanted} questions certified",
        missing=explain_missing(connection),
        example=connection.execute(
            "select qid, record_id from construction.answer_sets"
            " order by qid, rank, record_id limit 1"
        ).fetchone(),
    )


def _imported(connection: duckdb.DuckDBPyConnection) -> Questions:
    counts = connection.execute(
        "select subset, any_value(questions) from evaluation.leaderboard"
        " where subset != 'all' group by subset"
    ).fetchall()
    return Questions(
        heading="questions",
        by_subset={subset: f"{questions:,}" for subset, questions in counts},
        sentence=describe_imported(read_imported(connection)),
    )


def _overall_table(overall: dict[str, dict[str, float]]) -> Table:
    table = Table("run", title="Leaderboard, all questions", title_justify="left")
    for metric in METRICS:
        table.add_column(metric, justify="right")
    for run, values in overall.items():
        table.add_row(run, *(_fraction(values.get(metric)) for metric in METRICS))
    return table


def _subset_table(questions: Questions, leaderboard: Leaderboard) -> Table:
    table = Table("subset", title=f"{PLOTTED_METRIC} by subset", title_justify="left")
    table.add_column(questions.heading, justify="right")
    for run in leaderboard.overall:
        table.add_column(run, justify="right")
    for subset in sorted(questions.by_subset, key=subset_order):
        values = leaderboard.by_subset.get(subset, {})
        cells = (_fraction(values.get(run)) for run in leaderboard.overall)
        table.add_row(subset, questions.by_subset[subset], *cells)
    return table


def _fraction(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
