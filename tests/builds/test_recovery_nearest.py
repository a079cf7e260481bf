"""The nearest entries to recover from in a finished build, against plain SQL."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb

from tests.support.builds import environment
from tests.support.plain_hits import PLAIN_HITS


def hits_and_plain(path: Path, depth: int) -> tuple[list[Any], list[Any]]:
    with duckdb.connect(path, read_only=True) as con:
        con.execute("set search_path = 'construction,retrieval,vectors'")
        hits = con.execute("from recovery_hits order by all").fetchall()
        return hits, con.execute(PLAIN_HITS, {"depth": depth}).fetchall()


def test_a_build_finds_what_plain_sql_finds(warehouse: Path, data: Path, tmp_path: Path) -> None:
    hits, plain = hits_and_plain(warehouse / "heterqa.duckdb", depth=300)
    assert hits == plain and {hit[2] for hit in hits} == {"text", "photo"}

    # Again with another depth and hardly any memory: vars arrive, and one thread is enough.
    shutil.copy(warehouse / "build.duckdb", tmp_path)
    arguments = ["run", "--select", "recovery_nearest", "recovery_hits"]
    arguments += ["--vars", "{recovery_depth: 3, search_memory_mb: 1}"]
    code = (
        "from dagster_defs.warehouse.dbt import run_dbt; "
        "from udfs.warehouse.settings import Settings; "
        f"list(run_dbt(Settings.from_env(), {arguments}))"
    )
    environ = environment(tmp_path, data, HETERQA_THREADS="1")
    subprocess.run([sys.executable, "-c", code], env=environ, check=True, cwd=tmp_path)
    hits, plain = hits_and_plain(tmp_path / "build.duckdb", depth=3)
    assert hits == plain and len(hits) > 0
