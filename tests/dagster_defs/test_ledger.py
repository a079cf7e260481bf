"""The ledger files: what the journal keeps, what an export holds, and what is no ledger."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from dagster_defs.commands.ledger import export_ledger, import_ledger
from tests.support.small_repo import make_small_repo
from tests.support.staging import collection
from udfs.contracts.usage import Usage
from udfs.plugin import connect
from udfs.warehouse.errors import UserError
from udfs.warehouse.journal import JOURNAL, Journal, paid_so_far, shorten_journal
from udfs.warehouse.settings import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A warehouse with the answer to `a`, and `b` unresolved."""
    settings = Settings.from_env({"HETERQA_WAREHOUSE": str(tmp_path)})
    with duckdb.connect(str(settings.build_path)) as connection:
        connection.execute(
            "create table answers as"
            " select *, 'question' as content, 'm' as model, 1 as attempts"
            " from (values ('a', 'stored', null), ('b', null, 'refused'))"
            " as rows (request_key, verdict, error)"
        )
        # A table that the user has dropped to ask its requests anew is registered still.
        connection.execute(
            "create schema quality; create table quality.answer_tables as"
            " from (values ('main', 'answers'), ('main', 'dropped'))"
            " as rows (schema_name, table_name);"
            "create table mentions as select 'b' as request_key, null as error, 1 as attempts"
        )
    return settings


def entry(key: str, error: str | None = None, **answer: object) -> str:
    line = {"request_key": key, "answer": {"error": error, "model": "m", "attempts": 1} | answer}
    return json.dumps(line, ensure_ascii=False) + "\n"


def answers_of(lines: list[str]) -> dict[str, dict[str, object]]:
    entries = map(json.loads, lines)
    return {entry["request_key"]: entry["answer"] for entry in entries if entry["answer"]}


class FullDisk:
    """A file that takes half of what it is given, and says so."""

    def __init__(self, file: Any) -> None:
        self.file = file

    def write(self, data: bytes) -> int:
        return int(self.file.write(data[: len(data) // 2]))


def test_a_full_disk_is_said_and_spoils_no_other_line(settings: Settings) -> None:
    journal = Journal(settings.ledger_dir / JOURNAL)
    journal.record(Usage(10, 2, 0.25))
    journal._file = FullDisk(journal._file)
    with pytest.raises(OSError, match="No space left"):
        journal.record(Usage(1000, 200, 25))
    journal.record(Usage(20, 4, 0.5))
    assert paid_so_far(settings) == Usage(30, 6, 0.75)


def test_a_journal_keeps_what_no_table_holds_and_what_was_paid(settings: Settings) -> None:
    shorten_journal(settings)
    journal = Journal(settings.ledger_dir / JOURNAL)
    for _ in range(3):
        journal.record(Usage(10, 2, 0.25))
    with journal.path.open("a", encoding="utf-8") as file:
        file.writelines([
            entry("a"), entry("b", "refused"), entry("c", "refused"),
            entry("d", vector=[0.5, -1e-7]),
            # What a retry was answered, twice.
            entry("b", said="größer"), entry("b", said="größer"), '{"request_key": "e", "ans',
        ])  # fmt: skip
    common = {"model": "m", "attempts": 1}
    for _ in range(2):
        shorten_journal(settings)
        kept = journal.path.read_text("utf-8").splitlines()
        assert answers_of(kept) == {
            "b": common | {"error": None, "said": "größer"},
            "c": common | {"error": "refused"},
            "d": common | {"error": None, "vector": [0.5, -1e-7]},
        }
        assert len(kept) == 4
        assert paid_so_far(settings) == Usage(30, 6, 0.75)


def test_a_build_of_something_else_keeps_what_was_paid(tmp_path: Path) -> None:
    repo = make_small_repo(tmp_path)
    journal = repo.warehouse / "ledger" / JOURNAL
    journal.parent.mkdir(parents=True)
    usage = json.dumps({"usage": {"input_tokens": 5, "output_tokens": 1, "cost": 0.5}})
    journal.write_text(entry("paid", verdict="yes") + usage + "\n", encoding="utf-8")
    built = repo.build()
    assert built.returncode == 0, built.stderr
    assert list(answers_of(journal.read_text("utf-8").splitlines())) == ["paid"]
    settings = Settings.from_env({"HETERQA_WAREHOUSE": str(repo.warehouse)})
    assert paid_so_far(settings) == Usage(5, 1, 0.5)


def test_a_build_of_an_earlier_version_is_not_exported_as_empty(
    settings: Settings, tmp_path: Path
) -> None:
    with duckdb.connect(settings.build_path) as connection:
        connection.execute("drop table quality.answer_tables")
    with pytest.raises(UserError, match="built by an earlier version"):
        export_ledger(settings, tmp_path / "ledger.jsonl.gz")


def test_an_export_holds_what_no_build_has_committed(settings: Settings, tmp_path: Path) -> None:
    ledger = tmp_path / "out" / "ledger.jsonl.gz"
    assert export_ledger(settings, ledger) == 1
    journal = Journal(settings.ledger_dir / JOURNAL)
    journal.record(Usage(10, 2, 0.25))
    for line in (entry("a", verdict="again"), entry("b", verdict="yes"), entry("c", "refused")):
        parsed = json.loads(line)
        journal.write(parsed["request_key"], parsed["answer"])
    assert export_ledger(settings, ledger) == 2
    with gzip.open(ledger, "rt", encoding="utf-8") as file:
        lines = file.readlines()
    assert {key: answer["verdict"] for key, answer in answers_of(lines).items()} == {
        "a": "stored",
        "b": "yes",
    }
    assert "question" not in "".join(lines)
    other = Settings.from_env({"HETERQA_WAREHOUSE": str(tmp_path / "other")})
    assert import_ledger(other, ledger) == 2
    # Another warehouse has paid for them, and importing one's own does not forget what was paid.
    assert paid_so_far(other) == Usage()
    import_ledger(settings, ledger)
    assert paid_so_far(settings) == Usage(10, 2, 0.25)


def test_what_local_models_read_is_not_paid(tmp_path: Path) -> None:
    own = {"HETERQA_DATA": str(collection(tmp_path / "data")), "HETERQA_WAREHOUSE": str(tmp_path)}
    settings = Settings.from_env(own | {"HETERQA_MAX_COST": "1 tokens", "HETERQA_THREADS": "1"})
    with connect(":memory:", settings) as connection:
        claim = "select judge_text('k', 'support', 'It has a patio.', 'A quiet patio.').tokens"
        assert connection.execute(claim).fetchall()[0][0] > 1
    assert paid_so_far(settings) == Usage()


@pytest.mark.parametrize(
    "line",
    [
        '{"request_key": "a", "answer": {}}',
        '{"request_key": "a", "answer": null}',
        '{"request_key": null, "answer": {"error": null, "model": "m", "attempts": 1}}',
        '{"request_key": "a", "answer": {"model": "m", "attempts": 1}}',
        '{"request_key": "a", "answer": {"error": "refused: no", "model": "m", "attempts": 1}}',
        '{"request_key": "a", "answer": {"error": null, "attempts": 1}}',
        '{"request_key": "a", "answer": {"error": null, "model": "m", "attempts": null}}',
        '{"usage": {"input_tokens": 5, "output_tokens": 1, "cost": 0.5}}',
        "[" * 100_000,
        "7",
    ],
)
def test_what_is_no_answer_is_named_and_nothing_imported(
    line: str, settings: Settings, tmp_path: Path
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(entry("fine") + line + "\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"bad\.jsonl, line 2: is no answer of a ledger"):
        import_ledger(settings, path)
    assert not settings.ledger_dir.exists()


@pytest.mark.parametrize("damage", ["start", "cut off", "end"])
def test_a_damaged_file_is_named(damage: str, settings: Settings, tmp_path: Path) -> None:
    path = tmp_path / "damaged.jsonl.gz"
    content = gzip.compress("".join(entry(str(n), said=n * 7919) for n in range(999)).encode())
    path.write_bytes({
        "start": content[:10] + b"\xff" * 64 + content[74:],
        "cut off": content[: len(content) // 2],
        "end": content[:-8] + b"\0" * 8,
    }[damage])  # fmt: skip
    with pytest.raises(UserError, match=r"damaged\.jsonl\.gz: cannot be read \(.+\); give another"):
        import_ledger(settings, path)
    assert not settings.ledger_dir.exists()
