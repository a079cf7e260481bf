"""The staging room without dbt: its models' SQL, run over the files of a folder."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import yaml

from dagster_defs.inputs.files import describe_inputs
from tests.support.render import render_model, render_pre_hook
from udfs.plugin import connect, set_variables, variables
from udfs.warehouse.places import REPO
from udfs.warehouse.settings import Settings

MODELS = {
    "business": "stg_businesses",
    "review": "stg_reviews",
    "tip": "stg_tips",
    "user": "stg_users",
    "checkin": "stg_checkins",
    "photos": "stg_photos",
}
# What is made of the files that people write, but for a release.
WRITTEN = ("stg_field_rules", "stg_quotas", "decision_lines", "stg_decisions", "input_problems")
Row = dict[str, Any]


def collection(folder: Path, **contents: bytes | Iterable[Mapping[str, Any]]) -> Path:
    """A folder in the layout, of bytes or of rows; a file that is not given is empty."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in MODELS:
        content = contents.get(name, b"")
        if not isinstance(content, bytes):
            lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in content]
            content = "".join(lines).encode()
        (folder / f"{name}.json").write_bytes(content)
    return folder


def stage(data: Path, warehouse: Path, threads: int = 2) -> duckdb.DuckDBPyConnection:
    """A connection with the tables of staging, and texts, made from the files in `data`."""
    settings = Settings.from_env({"HETERQA_DATA": str(data), "HETERQA_WAREHOUSE": str(warehouse)})
    warehouse.mkdir(parents=True, exist_ok=True)
    describe_inputs(settings)
    connection = duckdb.connect()
    connection.execute(f"set threads = {threads}")
    set_variables(connection, variables(settings))
    make(connection, "input_counts")
    for name, model in MODELS.items():
        make(connection, f"rejected_{name}_lines")
        make(connection, model)
    make(connection, "rejected_rows")
    make(connection, "stg_photo_files")
    make(connection, "texts")
    return connection


def stage_written(folder: Path, **settings: str) -> duckdb.DuckDBPyConnection:
    """A connection with the tables of the files that people write, beside an empty collection.

    settings: HETERQA_* variables; data and warehouse are folders in `folder` unless they are given
    """
    given = Settings.from_env(
        {
            "HETERQA_DATA": str(collection(folder / "data")),
            "HETERQA_WAREHOUSE": str(folder / "warehouse"),
        }
        | settings
    )
    given.warehouse.mkdir(parents=True, exist_ok=True)
    describe_inputs(given)
    connection = connect(":memory:", given)
    for seed in ("subset_quotas", "subset_sources"):
        make_seed(connection, seed)
    for model in WRITTEN:
        make(connection, model)
    return connection


def input_problems(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """What is wrong with the files that people wrote, as the build says it."""
    query = "select concat(file, ', line ' || line_number, ': ', problem) from input_problems"
    return [said for (said,) in connection.execute(f"{query} order by all").fetchall()]


def make(connection: duckdb.DuckDBPyConnection, model: str) -> None:
    """Make one table, as the staged materialization does."""
    for statement in _statements(model):
        connection.execute(statement)


def make_seed(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """Make the table of one of the project's seeds, with the types that dbt gives it."""
    folder = REPO / "seeds"
    described = yaml.safe_load((folder / "_seeds.yml").read_text(encoding="utf-8"))["seeds"]
    (types,) = [seed["config"]["column_types"] for seed in described if seed["name"] == name]
    path = folder / f"{name}.csv"
    connection.execute(f"create table {name} as from read_csv('{path}', types = {types})")


@cache
def _statements(model: str) -> list[str]:
    preparation = render_pre_hook(model)
    table = f"create table {model} as {render_model(model)}"
    return [preparation, table] if preparation else [table]


def rejected(connection: duckdb.DuckDBPyConnection, file: str) -> dict[int, str]:
    """The reason of each rejected line of a file."""
    query = "select line_number, reason from rejected_rows where file = $file"
    return dict(connection.execute(query, {"file": file}).fetchall())


def accepted(connection: duckdb.DuckDBPyConnection, file: str) -> list[int]:
    """The numbers of the accepted lines of a file, in order."""
    query = f"select line_number from {MODELS[file]} order by line_number"
    return [number for (number,) in connection.execute(query).fetchall()]


def rows(connection: duckdb.DuckDBPyConnection, query: str) -> list[Row]:
    """The rows of a query as dictionaries."""
    result = connection.execute(query)
    names = [column[0] for column in result.description or []]
    return [dict(zip(names, values, strict=True)) for values in result.fetchall()]
