"""Publishing: a finished build becomes, in one step, the file that everybody reads."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import duckdb

from udfs.warehouse.settings import Settings


def publish(settings: Settings, without: Sequence[str] = ()) -> Path:
    """Copy build.duckdb beside heterqa.duckdb, without some tables, and rename it over that.

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
    if without:
        with duckdb.connect(temporary) as connection:
            for table in without:
                connection.execute(f"drop table if exists {table}")
    _sync(temporary)
    temporary.replace(target)
    _sync(target.parent)
    return target


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
