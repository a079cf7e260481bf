"""Run files: every run of the published warehouse in the TREC format."""

from __future__ import annotations

import re
import shutil

import duckdb

from udfs.warehouse.folders import replace_folder
from udfs.warehouse.settings import Settings


def write_runs(settings: Settings) -> dict[str, int]:
    """Write `runs/<run>.trec`, lines `qid Q0 record_id rank score run`; number of lines by run."""
    draft = settings.warehouse / ".runs.new"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    lines: dict[str, int] = {}
    with duckdb.connect(settings.published_path, read_only=True) as connection:
        runs = connection.execute("select distinct run from retrieval.runs order by run").fetchall()
        for (run,) in runs:
            rows = connection.execute(
                "select qid, record_id, rank, score from retrieval.runs where run = ?"
                " order by qid, rank, record_id",
                [run],
            ).fetchall()
            path = draft / f"{_file_stem(run)}.trec"
            path.write_text(
                "".join(
                    f"{qid} Q0 {record_id} {rank} {score!r} {run}\n"
                    for qid, record_id, rank, score in rows
                ),
                encoding="utf-8",
                newline="\n",
            )
            lines[run] = len(rows)
    replace_folder(draft, settings.runs_dir)
    return lines


def _file_stem(run: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "_", run)
