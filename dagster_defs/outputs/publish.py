"""Publishing: a finished build becomes, in one step, the file that everybody reads."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection
from pathlib import Path

import duckdb

from udfs.warehouse.settings import Settings


def publish(settings: Settings, tables: Collection[tuple[str, str]]) -> Path:
    """Copy build.duckdb beside heterqa.duckdb, and rename the copy over that.

    tables: schema and name of each table of this build; the copy holds no other one

    A reader that has the old file open keeps reading the old one. The caller holds the build lock,
    so every temporary file that is found belongs to a process that died, and is removed.
    """
    target = settings.published_path
    for leftover in target.parent.glob(f".{target.name}.*"):
        leftover.unlink()

    with duckdb.connect(settings.build_path) as connection:
        connection.execute("checkpoint")

    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    shutil.copyfile(settings.build_path, temporary)
    _drop_others(temporary, tables)
    _sync(temporary)
    temporary.replace(target)
    _sync(target.parent)
    return target


def _drop_others(path: Path, tables: Collection[tuple[str, str]]) -> None:
    """Drop the tables of earlier builds, which had other settings, or models of other names."""
    with duckdb.connect(path) as connection:
        found = connection.execute(
            """
            select
                table_schema,
                table_name,
                if(table_type = 'VIEW', 'view', 'table') as kind,
            from information_schema.tables
            where table_catalog = current_database()
            order by all
            """
        ).fetchall()
        for schema, name, kind in found:
            if (schema, name) not in tables:
                connection.execute(f"drop {kind} {_quoted(schema)}.{_quoted(name)}")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
