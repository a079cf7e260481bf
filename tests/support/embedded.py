"""A connection as a build has it, with the embedded profile, and changes of that profile."""

from __future__ import annotations

from pathlib import Path

import duckdb
import yaml

from udfs.warehouse.places import PROFILE_FOLDER
from udfs.warehouse.settings import Settings

EMBEDDED = PROFILE_FOLDER / "embedded.yml"


def make_settings(collection: Path, warehouse: Path, threads: int = 2) -> Settings:
    return Settings.from_env(
        {
            "HETERQA_DATA": str(collection),
            "HETERQA_WAREHOUSE": str(warehouse),
            "HETERQA_THREADS": str(threads),
        }
    )


def one(connection: duckdb.DuckDBPyConnection, sql: str, *values: object) -> object:
    row = connection.execute(sql, list(values)).fetchone()
    assert row is not None
    return row[0]


def write_profile(folder: Path, **changes: object) -> Path:
    content = yaml.safe_load(EMBEDDED.read_text(encoding="utf-8"))
    for name, value in changes.items():
        role, _, key = name.partition("__")
        if key:
            content[role][key] = value
        else:
            content[role] = value
    path = folder / "mine.yml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path
