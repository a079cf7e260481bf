"""A dbt project of one model that counts what it asks, over the repository's macros."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from dbt.cli.main import dbtRunner

from dagster_defs.warehouse.dbt import _close_warehouse

REPO = Path(__file__).resolve().parents[2]
CHUNK = 10

# `ask` writes down what it is asked before it answers; it fails for what is listed, or for all.
PLUGIN = """
    import os
    import time

    import duckdb
    import pyarrow as pa
    from dbt.adapters.duckdb.plugins import BasePlugin

    RETURNS = (
        "struct(answer varchar, error varchar, input_tokens bigint, output_tokens bigint, "
        "latency_ms double, cost double, attempts integer)"
    )


    class Plugin(BasePlugin):
        def configure_connection(self, conn):
            with duckdb.connect() as own:
                table = own.execute(f"select null::{RETURNS} as value").to_arrow_table()
            arrow_type = table.schema.field("value").type
            self.calls = 0

            def ask(keys, contents):
                answers = []
                took = {
                    "input_tokens": 10, "output_tokens": 1, "latency_ms": 2.0, "cost": 0.5,
                    "attempts": 1,
                }
                for content in contents.to_pylist():
                    with open(os.environ["CALLS"], "a", encoding="utf-8") as calls:
                        calls.write(content + "\\n")
                    self.calls += 1
                    while self.calls == int(os.environ.get("HANG_AT_CALL", "0")):
                        time.sleep(1)
                    failing = os.environ.get("FAILING", "").split(",")
                    if content in failing or "all" in failing:
                        answers.append(took | {"answer": None, "error": f"no answer to {content}"})
                    else:
                        answers.append(took | {"answer": content.upper(), "error": None})
                return pa.array(answers, type=arrow_type)

            conn.create_function(
                "ask", ask, [duckdb.sqltype("varchar")] * 2, duckdb.sqltype(RETURNS),
                type="arrow", null_handling="special", side_effects=False,
            )

        def configure_cursor(self, cursor):
            ledger = os.environ.get("LEDGER", "")
            cursor.execute(
                "set variable build = {'ledger': $ledger, 'paid_functions': ''}", {"ledger": ledger}
            )
"""

MODEL = """
    {{ config(materialized='resumable', answer='ask(request_key, content)') }}

    select
        md5('{{ env_var("SIGNATURE", "v1") }}' || content) as request_key,
        content,
    from (select 'é' || unnest(range({{ env_var("REQUESTS", "30") }})) as content)
    -- Requests repeat; each is asked once.
    cross join range(2)
"""


@dataclass
class Project:
    """A dbt project with one resumable model over the repository's macros."""

    folder: Path
    monkeypatch: pytest.MonkeyPatch
    # What the last run said to who runs it.
    said: list[str] = field(default_factory=list)

    @property
    def calls(self) -> list[str]:
        path = self.folder / "calls.txt"
        return path.read_text(encoding="utf-8").split() if path.exists() else []

    @property
    def command(self) -> list[str]:
        folder = str(self.folder)
        return ["run", "--quiet", "--project-dir", folder, "--profiles-dir", folder]

    def start(self, **environ: str) -> subprocess.Popen[str]:
        """A run in a process of its own, to be killed."""
        paths = {"PYTHONPATH": str(self.folder), "CALLS": str(self.folder / "calls.txt")}
        return subprocess.Popen(
            [sys.executable, "-c", "from dbt.cli.main import cli; cli()", *self.command],
            env=os.environ | paths | environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *arguments: str, **environ: str) -> tuple[str, str, list[str]]:
        """Status and message of the model, and what was asked for it, in order."""
        before = len(self.calls)
        ((status, message),) = self.run_all(*arguments, **environ).values()
        return status, message, self.calls[before:]

    def run_all(self, *arguments: str, **environ: str) -> dict[str, tuple[str, str]]:
        """Status and message of every model, by its name."""
        with self.monkeypatch.context() as patch:
            patch.syspath_prepend(str(self.folder))
            for name, value in ({"CALLS": str(self.folder / "calls.txt")} | environ).items():
                patch.setenv(name, value)
            self.said.clear()
            outcome = dbtRunner(callbacks=[self._hear]).invoke([*self.command, *arguments])
            _close_warehouse()
        assert outcome.result is not None, outcome.exception
        return {
            result.node.name: (str(result.status), str(result.message))
            for result in outcome.result.results  # type: ignore[union-attr]
        }

    def _hear(self, event: Any) -> None:
        if event.info.name == "JinjaLogInfo":
            self.said.append(event.info.msg)

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        with duckdb.connect(str(self.folder / "build.duckdb"), read_only=True) as connection:
            return connection.execute(sql).fetchall()

    def answers(self) -> dict[str, str | None]:
        return dict(self.query("select content, answer from main.answers"))


def resumable_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    files = {
        "dbt_project.yml": yaml.safe_dump(
            {
                "name": "heterqa",
                "profile": "heterqa",
                "macro-paths": [str(REPO / "macros")],
                "vars": {
                    "resumable_chunk": CHUNK,
                    "resumable_chunk_of_endpoints": 25,
                    "resumable_failed_share": 0.1,
                },
                "flags": {"send_anonymous_usage_stats": False},
            }
        ),
        "profiles.yml": yaml.safe_dump(
            {
                "heterqa": {
                    "target": "dev",
                    "outputs": {
                        "dev": {
                            "type": "duckdb",
                            "path": str(tmp_path / "build.duckdb"),
                            "threads": 1,
                            "plugins": [{"module": "asking_plugin"}],
                        }
                    },
                }
            }
        ),
        "asking_plugin.py": textwrap.dedent(PLUGIN),
        "models/answers.sql": textwrap.dedent(MODEL),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return Project(tmp_path, monkeypatch)
