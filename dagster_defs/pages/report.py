"""The report: one HTML page of the published warehouse that needs nothing but itself."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
from jinja2 import Environment, FileSystemLoader

from dagster_defs.inputs.imported import describe_imported, read_imported
from udfs.warehouse.settings import Settings

SHOWN_PER_SUBSET = 2
FUNNEL = "select * from quality.funnel order by step_number"
SLOTS = "select count(*) as slots from quality.slot_outcomes"
# The most frequent reasons first.
DROPS = "select * from quality.drop_counts order by step, removal_count desc, reason"
COLOURS = ("#2f5d8a", "#c8792b", "#4b8f5b", "#8a4b7d", "#7d7d34", "#3f8f95", "#a34a4a", "#666666")
METRICS = ("hit@5", "recall@10", "mrr@10")
PLOTTED_METRIC = "recall@10"


@dataclass(frozen=True)
class Leaderboard:
    """Metric values by run over all questions, best run first; the plotted metric by subset."""

    overall: dict[str, dict[str, float]]
    by_subset: dict[str, dict[str, float]]


@dataclass(frozen=True)
class Bar:
    """One bar of a plot: position and size in SVG units, and what it says."""

    x: float
    y: float
    width: float
    height: float
    colour: str
    title: str


@dataclass(frozen=True)
class Plot:
    """Bars by group, all of one value range."""

    width: int
    height: int
    base: float
    bars: list[Bar]
    labels: list[tuple[float, str]]
    ticks: list[tuple[float, str]]
    legend: list[tuple[str, str]]


def write_report(settings: Settings) -> Path:
    """Write `report.html` from the published warehouse, in one step."""
    with duckdb.connect(settings.published_path, read_only=True) as connection:
        page = render_report(connection, settings)
    temporary = settings.report_path.with_name(f".report.html.{os.getpid()}")
    temporary.write_text(page, encoding="utf-8")
    temporary.replace(settings.report_path)
    return settings.report_path


def render_report(connection: duckdb.DuckDBPyConnection, settings: Settings) -> str:
    """The page as text; everything that comes from the warehouse is escaped."""
    leaderboard = read_leaderboard(connection)
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html.j2").render(
        settings=settings,
        metrics=METRICS,
        overall=leaderboard.overall,
        plot=_plot(leaderboard),
        plotted_metric=PLOTTED_METRIC,
        imported=describe_imported(read_imported(connection)) if settings.release else None,
        funnel=[] if settings.release else _rows(connection, FUNNEL),
        slots=0 if settings.release else _rows(connection, SLOTS)[0]["slots"],
        drops=[] if settings.release else _rows(connection, DROPS),
        subsets=_rows(
            connection,
            "select * from quality.question_diversity where subset != 'all' order by subset",
        ),
        questions=_questions(connection),
        costs=read_costs(connection),
        truth=[] if settings.release else _truth(connection),
    )


def read_leaderboard(connection: duckdb.DuckDBPyConnection) -> Leaderboard:
    """The leaderboard of the published warehouse."""
    rows = _rows(connection, "select run, subset, metric, value from evaluation.leaderboard")
    overall: dict[str, dict[str, float]] = {}
    by_subset: dict[str, dict[str, float]] = {}
    for row in sorted(rows, key=lambda row: (row["subset"], row["run"])):
        if row["subset"] == "all":
            overall.setdefault(row["run"], {})[row["metric"]] = row["value"]
        elif row["metric"] == PLOTTED_METRIC:
            by_subset.setdefault(row["subset"], {})[row["run"]] = row["value"]
    ranked = sorted(overall.items(), key=lambda item: (-item[1].get(PLOTTED_METRIC, 0), item[0]))
    subsets = sorted(by_subset.items(), key=lambda item: subset_order(item[0]))
    return Leaderboard(dict(ranked), dict(subsets))


def subset_order(subset: str) -> tuple[bool, str]:
    """Sort key of subsets: those of one source before those of two."""
    return "," in subset, subset


def read_costs(connection: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """What the model calls of each step took, and of `all` of them, which comes last."""
    return _rows(connection, "select * from quality.costs order by step = 'all', step")


def _rows(connection: duckdb.DuckDBPyConnection, query: str) -> list[dict[str, Any]]:
    result = connection.execute(query)
    names = [str(column[0]) for column in result.description or []]
    return [dict(zip(names, values, strict=True)) for values in result.fetchall()]


def _plot(leaderboard: Leaderboard) -> Plot:
    runs = list(leaderboard.overall)
    by_subset = leaderboard.by_subset
    left, base, height, group = 44, 220.0, 200.0, 84
    width = (group - 16) / max(len(runs), 1)
    bars = [
        Bar(
            x=round(left + number * group + 8 + runs.index(run) * width, 2),
            y=round(base - height * value, 2),
            width=round(width - 1, 2),
            height=round(height * value, 2),
            colour=COLOURS[runs.index(run) % len(COLOURS)],
            title=f"{run}, {subset}: {value:.3f}",
        )
        for number, (subset, values) in enumerate(by_subset.items())
        for run, value in values.items()
    ]
    return Plot(
        width=left + group * max(len(by_subset), 1) + 8,
        height=250,
        base=base,
        bars=bars,
        labels=[(left + (number + 0.5) * group, subset) for number, subset in enumerate(by_subset)],
        ticks=[(base - height * tick / 4, f"{tick / 4:.2f}") for tick in range(5)],
        legend=[(run, COLOURS[number % len(COLOURS)]) for number, run in enumerate(runs)],
    )


def _truth(connection: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """How right each step was; nothing for a collection without a planted truth."""
    return _rows(
        connection,
        "select step, precision, recall, predicted_count, true_count"
        " from quality.truth_audit where slice = 'all' order by step",
    )


def _questions(connection: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """The first questions of each subset with their answers, each with its evidence."""
    return _rows(
        connection,
        "select * from quality.question_cards"
        f" qualify {SHOWN_PER_SUBSET} >= row_number() over (partition by subset order by qid)"
        " order by subset, qid",
    )
