"""Whole builds in processes of their own, and what they leave behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb

from udfs.warehouse.places import REPO

QUESTIONS = 20
# Seconds until a process counts as hung: far more than any takes beside other busy ones.
PATIENCE = 1800


def environment(warehouse: Path, data: Path, **settings: str) -> dict[str, str]:
    """Nothing of the machine's own settings, and those of the test."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("HETERQA_", "DAGSTER_"))}
    own = {
        "HETERQA_WAREHOUSE": str(warehouse),
        "HETERQA_DATA": str(data),
        "HETERQA_QUESTIONS": str(QUESTIONS),
        "PYTHONPATH": str(REPO),
    }
    return kept | own | settings


def run(
    module: str, *arguments: str, environ: dict[str, str], root: Path = REPO
) -> subprocess.CompletedProcess[str]:
    """Run a command of the Makefile of the repository at `root` to its end, whatever that is."""
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=root,
        env=environ,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def run_build(warehouse: Path, data: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """What `make run` does."""
    return run("dagster_defs.commands.build", environ=environment(warehouse, data, **settings))


def build(warehouse: Path, data: Path, **settings: str) -> str:
    """A build that succeeds; returns what it printed."""
    result = run_build(warehouse, data, **settings)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr
    return result.stdout


def tree(folder: Path) -> dict[str, bytes]:
    """The files below a folder by their relative paths."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def query(path: Path, sql: str) -> list[tuple[Any, ...]]:
    """The rows of a query on a DuckDB file."""
    with duckdb.connect(path, read_only=True) as connection:
        return connection.execute(sql).fetchall()


def count(path: Path, sql: str) -> int:
    """The number that a query comes to."""
    ((number,),) = query(path, sql)
    return int(number)
