"""The picture of the recovery audit: reliability and precision-recall by field, as an SVG."""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
from jinja2 import Environment, FileSystemLoader

from udfs.warehouse.settings import Settings

ALL_FIELDS = "*"
COLUMNS = 3
SIDE = 120
CELL_WIDTH, CELL_HEIGHT = 2 * SIDE + 70, SIDE + 62
MARGIN, HEADER = 24, 56


@dataclass(frozen=True)
class Dot:
    """A group of hidden values in SVG units, as large as it has values, and what it says."""

    x: float
    y: float
    radius: float
    title: str


@dataclass(frozen=True)
class Curve:
    """Precision over recall of one value, as the points of a line in SVG units."""

    colour: str
    points: str


@dataclass(frozen=True)
class Cell:
    """One field: where it stands, its reliability, its curves, and what was decided."""

    x: float
    y: float
    name: str
    decision: str
    dots: list[Dot]
    curves: list[Curve]


COLOURS = {True: "#2f5d8a", False: "#c8792b"}


def write_plot(settings: Settings) -> Path:
    """Write `recovery_audit.svg` from the published warehouse, in one step."""
    with duckdb.connect(settings.published_path, read_only=True) as connection:
        picture = render_plot(connection)
    target = settings.recovery_plot_path
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    temporary.write_text(picture, encoding="utf-8")
    temporary.replace(target)
    return target


def render_plot(connection: duckdb.DuckDBPyConnection) -> str:
    """The picture as text; everything that comes from the warehouse is escaped."""
    cells = _cells(connection)
    rows = -(-len(cells) // COLUMNS)
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("recovery_plot.svg.j2").render(
        width=2 * MARGIN + COLUMNS * CELL_WIDTH,
        height=HEADER + rows * CELL_HEIGHT + MARGIN,
        margin=MARGIN,
        side=SIDE,
        gap=SIDE + 30,
        cells=cells,
        colours=COLOURS,
    )


def as_markdown(picture: str) -> str:
    """The picture in Dagster's markdown: a data URI, because nothing outside is loaded."""
    encoded = base64.b64encode(picture.encode()).decode("ascii")
    return f"![Reliability and precision-recall by field](data:image/svg+xml;base64,{encoded})"


def _cells(connection: duckdb.DuckDBPyConnection) -> list[Cell]:
    """All fields together first, then each with evidence, by name."""
    dots, curves = _dots(connection), _curves(connection)
    names = sorted({*dots, *curves}, key=lambda name: (name != ALL_FIELDS, name))
    decisions = dict(
        connection.execute(
            "select field, string_agg(value || ': ' || if(threshold is null, 'not recovered',"
            " printf('from %.2f', threshold)), '; ' order by value desc)"
            " from quality.recovery_audit"
            " where channel = 'all' and basis is not null group by field"
        ).fetchall()
    )
    return [
        Cell(
            x=MARGIN + number % COLUMNS * CELL_WIDTH,
            y=HEADER + number // COLUMNS * CELL_HEIGHT,
            name="all fields" if name == ALL_FIELDS else name,
            decision=decisions.get(name, ""),
            dots=dots.get(name, []),
            curves=curves.get(name, []),
        )
        for number, name in enumerate(names)
    ]


def _dots(connection: duckdb.DuckDBPyConnection) -> dict[str, list[Dot]]:
    found: dict[str, list[Dot]] = {}
    rows: list[tuple[Any, ...]] = connection.execute(
        "select field, mean_probability, true_share, value_count"
        " from quality.recovery_reliability where channel = 'all'"
        " order by field, probability_from"
    ).fetchall()
    for field, probability, share, count in rows:
        found.setdefault(field, []).append(
            Dot(
                x=round(SIDE * probability, 2),
                y=round(SIDE * (1 - share), 2),
                radius=round(min(2 + count**0.5 / 3, 9), 2),
                title=f"probability {probability:.2f}: {share:.2f} of {count} true",
            )
        )
    return found


def _curves(connection: duckdb.DuckDBPyConnection) -> dict[str, list[Curve]]:
    found: dict[str, list[Curve]] = {}
    rows: list[tuple[Any, ...]] = connection.execute(
        "select field, is_true, list((recall, precision) order by threshold desc)"
        " from quality.recovery_curves where channel = 'all'"
        " group by field, is_true order by field, is_true desc"
    ).fetchall()
    for field, is_true, points in rows:
        line = " ".join(f"{SIDE * recall:.1f},{SIDE * (1 - best):.1f}" for recall, best in points)
        found.setdefault(field, []).append(Curve(COLOURS[is_true], line))
    return found
