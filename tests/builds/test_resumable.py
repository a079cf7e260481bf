"""The resumable materialization, in a project of one model that counts what it asks."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter
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

            def ask(keys, contents):
                answers = []
                took = {
                    "input_tokens": 10, "output_tokens": 1, "latency_ms": 2.0, "cost": 0.5,
                    "attempts": 1,
                }
                for content in contents.to_pylist():
                    with open(os.environ["CALLS"], "a", encoding="utf-8") as calls:
                        calls.write(content + "\\n")
                    time.sleep(float(os.environ.get("SECONDS_A_CALL", "0")))
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


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
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


def contents(count: int) -> list[str]:
    return [f"é{number}" for number in range(count)]


def asked(project: Project) -> list[tuple[int, int]]:
    return [
        (asked, reused)
        for asked, reused in project.query(
            "select asked, reused from quality.asked where model = 'answers' order by rowid"
        )
    ]


def test_a_kill_costs_one_chunk_at_most(project: Project) -> None:
    killed = project.start(SECONDS_A_CALL="0.02")
    deadline = time.monotonic() + 60
    while len(project.calls) < 2.5 * CHUNK:
        assert killed.poll() is None and time.monotonic() < deadline, killed.communicate()
        time.sleep(0.005)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    before = project.calls
    assert len(before) < 30

    status, _, resumed = project.run()
    assert status == "success"
    assert len(before) + len(resumed) <= 30 + CHUNK
    assert set(Counter(before + resumed).values()) <= {1, 2}
    expected = {content: content.upper() for content in contents(30)}
    assert project.answers() == expected
    assert project.query("select count(*) from main.answers") == [(30,)]

    status, _, third = project.run()
    assert (status, third) == ("success", [])
    assert project.answers() == expected
    # The killed run did not come to its row.
    assert asked(project) == [(len(resumed), 30 - len(resumed)), (0, 30)]
    assert project.query(
        "select count(distinct invocation_id), count(*), min(seconds) >= 0 from quality.asked"
    ) == [(2, 2, True)]


def test_what_is_unresolved_stays_so_until_it_is_retried(project: Project) -> None:
    status, _, first = project.run(FAILING="é3,é29")
    assert status == "success"
    assert Counter(first) == Counter(contents(30))
    unresolved = "select content, answer, error from main.answers where error is not null"
    assert sorted(project.query(unresolved)) == [
        ("é29", None, "no answer to é29"),
        ("é3", None, "no answer to é3"),
    ]

    # A refusal was paid for, too: nobody asks again without being told to, but it is said again.
    status, _, second = project.run()
    assert (status, second) == ("success", [])
    assert project.said == [
        "  answers: 2 of 30 are unresolved, one of them with: no answer to é29; "
        "mend the cause, then `make retry-unresolved`"
    ]

    # What a model always refuses stops no build.
    retry = {"HETERQA_RETRY_UNRESOLVED": "1"}
    status, _, third = project.run(FAILING="é3,é29", **retry)
    assert (status, sorted(third)) == ("success", ["é29", "é3"])

    status, _, fourth = project.run(**retry)
    assert (status, sorted(fourth)) == ("success", ["é29", "é3"])
    assert project.answers() == {content: content.upper() for content in contents(30)}
    assert asked(project) == [(30, 0), (0, 30), (2, 28), (2, 28)]
    # What the failed calls have taken is not forgotten.
    assert project.query(
        "select attempts, input_tokens, output_tokens, latency_ms, cost from main.answers"
        " where content in ('é2', 'é3') order by content"
    ) == [(1, 10, 1, 2.0, 0.5), (3, 30, 3, 6.0, 1.5)]
    assert project.query(
        "select unresolved, cost, saved_tokens, saved_cost from quality.asked order by rowid"
    ) == [(2, 15.0, 0, 0.0), (2, 0.0, 330, 15.0), (2, 1.0, 308, 14.0), (0, 1.0, 308, 14.0)]


def test_answers_in_the_ledger_are_taken_and_not_asked(project: Project) -> None:
    def entry(content: str, **answer: object) -> str:
        key = hashlib.md5(f"v1{content}".encode()).hexdigest()
        took = {"input_tokens": 7, "output_tokens": 1, "latency_ms": 1, "cost": 2, "attempts": 1}
        return json.dumps({"request_key": key, "answer": took | answer}, ensure_ascii=False)

    lines = [
        entry("é1", answer="paid", error=None, more="a member of another version"),
        entry("é2", answer=None, error="refused: no"),
        entry("é2", answer="paid, too", error=None),
        entry("é3", answer=None, error="refused: no"),
        entry("other", answer="of nobody", error=None),
        json.dumps({"request_key": "x", "answer": {"answer": {"of": ["another", "table"]}}}),
        json.dumps({"request_key": hashlib.md5("v1é5".encode()).hexdigest(), "answer": {}}),
        json.dumps({"usage": {"input_tokens": 7, "output_tokens": 1, "cost": 2}}),
        "no JSON",
        entry("é4", answer="cut off by a kill", error=None)[:-20],
    ]
    (project.folder / "journal.jsonl").write_text("\n".join(lines), encoding="utf-8")
    with gzip.open(project.folder / "import.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(entry("é0", answer="imported", error=None) + "\n")

    ledger = {"LEDGER": str(project.folder / "*.jsonl*"), "REQUESTS": "6"}
    status, message, calls = project.run(**ledger)
    assert (status, sorted(calls)) == ("success", ["é4", "é5"]), message
    assert project.answers() == {
        "é0": "imported",
        "é1": "paid",
        "é2": "paid, too",
        "é3": None,
        "é4": "É4",
        "é5": "É5",
    }
    assert project.query("select sum(cost) from main.answers") == [(4 * 2 + 2 * 0.5,)]
    assert asked(project) == [(2, 4)]
    # A refusal that stands in the ledger is no answer to a retry, and nobody asks again.
    status, _, calls = project.run(**ledger)
    assert (status, calls) == ("success", [])
    _, _, calls = project.run(**ledger, HETERQA_RETRY_UNRESOLVED="1", FAILING="é3")
    assert calls == ["é3"]
    # The next retry is answered, and killed before it could commit: whatever runs next takes it.
    with (project.folder / "journal.jsonl").open("a", encoding="utf-8") as file:
        file.write("\n" + entry("é3", answer="at last", error=None) + "\n")
    status, _, calls = project.run(**ledger)
    assert (status, calls) == ("success", [])
    assert project.query("select answer, cost from main.answers where content = 'é3'") == [
        ("at last", 2 + 0.5 + 2)
    ]


def test_other_signatures_and_other_requests(project: Project) -> None:
    project.run()
    status, _, changed = project.run(SIGNATURE="v2", REQUESTS="20")
    assert (status, sorted(changed)) == ("success", sorted(contents(20)))
    # Answers to requests that are no longer made are kept: going back asks nothing.
    assert project.query("select count(*) from main.answers") == [(50,)]
    status, _, back = project.run()
    assert (status, back) == ("success", [])
    assert asked(project) == [(30, 0), (20, 0), (0, 30)]


def test_a_step_whose_calls_all_fail_stops(project: Project) -> None:
    status, message, _ = project.run(FAILING="all", REQUESTS="5")
    assert status == "error"
    assert "answers: all 5 calls failed, one of them with: no answer to é" in message
    assert "make retry-unresolved" in message
    # The answers are stored, and still none that a build could go on with.
    status, message, again = project.run(REQUESTS="5")
    assert (status, again) == ("error", [])
    assert "answers: all 5 calls failed, one of them with: no answer to é0" in message
    retry = {"HETERQA_RETRY_UNRESOLVED": "1"}
    status, _, again = project.run(REQUESTS="5", **retry)
    assert (status, sorted(again)) == ("success", contents(5))
    # An endpoint that goes down later: the new requests fail, the old answers do not hide it.
    status, message, _ = project.run(FAILING="all", REQUESTS="30")
    assert status == "error"
    assert "answers: all 25 calls failed" in message


def test_stored_answers_with_other_columns(project: Project) -> None:
    project.run(REQUESTS="5")
    model = project.folder / "models" / "answers.sql"
    text = model.read_text(encoding="utf-8")

    # A column that is new is empty for the old answers, another order is no other table.
    model.write_text(
        "{{ config(materialized='resumable', answer='ask(request_key, content)') }}"
        " select 'x' as channel, content, request_key from ("
        + text.split("}}", 1)[1].rstrip()
        + ")"
    )
    status, message, calls = project.run(REQUESTS="6")
    assert (status, calls) == ("success", ["é5"]), message
    assert project.answers() == {content: content.upper() for content in contents(6)}
    assert project.query("select channel, count(*) from main.answers group by all order by 2") == [
        ("x", 1),
        (None, 5),
    ]

    # One that is gone is empty for the new ones.
    model.write_text(text)
    status, message, calls = project.run(REQUESTS="7")
    assert (status, calls) == ("success", ["é6"]), message

    model.write_text(text.replace("    content,", "    content,\n    5 as channel,"))
    status, message, calls = project.run(REQUESTS="8")
    assert (status, calls) == ("error", [])
    assert "have channel as VARCHAR, this version as INTEGER" in message

    status, _, calls = project.run("--full-refresh", REQUESTS="8")
    assert (status, sorted(calls)) == ("success", contents(8))


# What the database says of the table, and which models are listed as answers

DESCRIBED = """
    version: 2
    sources:
      - name: ledger
        schema: quality
        tables:
          - {name: asked, description: Runs., columns: [{name: model, description: Who asked.}]}
          - {name: answer_tables, description: Tables of answers.}
    models:
      - name: answers
        config: {persist_docs: {relation: true, columns: true}}
        description: "DESCRIPTION of what's asked"
        columns: [{name: content, description: The content.}, {name: gone, description: Nothing.}]
      - name: responses
        columns: [{name: content, description: A content.}, {name: cost, description: Dollars.}]
"""
RESPONSES = """
    {{ config(materialized='view') }}
    -- depends_on: {{ ref('later_answers') }}
    {% for step in heterqa.resumable_models() %}
    select '{{ step.schema }}' as schema_name, '{{ step.name }}' as table_name
    {{ 'union all' if not loop.last }}
    {% endfor %}
"""


def comments(project: Project) -> dict[str, str]:
    return dict(
        project.query(
            "select table_name, comment from duckdb_tables() where comment is not null union all"
            " select table_name || '.' || column_name, comment from duckdb_columns()"
            " where comment is not null"
        )
    )


def test_comments_come_with_the_table_and_its_answers_stay(project: Project) -> None:
    project.run(REQUESTS="5")
    assert comments(project) == {}
    text = textwrap.dedent(DESCRIBED)
    described = project.folder / "models" / "answers.yml"
    expected = {
        "answers.content": "The content.",
        "asked": "Runs.",
        "asked.model": "Who asked.",
        "answer_tables": "Tables of answers.",
    }
    (project.folder / "models" / "responses.sql").write_text("select 1 as cost")
    for number, said in enumerate(("one", "one", "another")):
        described.write_text(text.replace("DESCRIPTION", said), encoding="utf-8")
        status, message, calls = project.run("--select", "answers", REQUESTS=str(5 + number))
        assert (status, len(calls)) == ("success", min(number, 1)), message
        assert comments(project) == expected | {
            "answers": f"{said} of what's asked",
            "answers.cost": "Dollars.",
        }
    assert project.query("select count(*) from main.answers where answer is not null") == [(7,)]


def test_resumable_models_are_listed_by_themselves(project: Project) -> None:
    models = project.folder / "models"
    asking = "{{ config(materialized='resumable', answer='ask(request_key, content)') }}"
    later = f"{asking} select request_key, content from {{{{ ref('answers') }}}}"
    (models / "later_answers.sql").write_text(later)
    (models / "mentions.sql").write_text("select 'é' as request_key, 1 as attempts")
    (models / "responses.sql").write_text(textwrap.dedent(RESPONSES))
    expected = [("main", "answers"), ("main", "later_answers")]
    for _ in range(2):
        outcomes = project.run_all()
        assert {status for status, _ in outcomes.values()} == {"success"}, outcomes
        assert project.query("from responses order by all") == expected
        assert project.query("from quality.answer_tables order by all") == expected

    # One that dbt could make after the list is named with what to write.
    (models / "unread_answers.sql").write_text(later)
    status, message = project.run_all()["responses"]
    assert status == "error"
    assert "lists unread_answers, which may be made after it" in message
    assert "add `-- depends_on: {{ ref('unread_answers') }}` to responses.sql" in message
