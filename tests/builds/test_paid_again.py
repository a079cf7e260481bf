"""What is paid is paid once and stays secret: estimates, a refused key, faults, ledgers.

The three paid steps of the project `paid` stand for those of the real one.
"""

from __future__ import annotations

import gzip
import re
import shutil
import signal
from pathlib import Path

import duckdb
import pytest

from tests.support.builds import count, tree
from tests.support.fault_server import fault_server
from tests.support.paid import (
    DEAD,
    KEY,
    Outcome,
    Paying,
    estimated,
    files_of,
    files_with,
    paid_project,
    report_to_dagster,
)

FAULTS = {
    "f429": 0.03, "f500": 0.03, "refusal": 0.03, "escaped_refusal": 0.03, "schema": 0.03,
    "echo": 0.05, "escaped_echo": 0.05,
}  # fmt: skip
STEPS = {"text_features": 120, "judgements": 120, "question_drafts": 40}


@pytest.fixture(scope="module")
def paying(tmp_path_factory: pytest.TempPathFactory) -> Paying:
    return paid_project(tmp_path_factory.mktemp("paid_again"))


@pytest.fixture(scope="module")
def healthy(paying: Paying, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """An undisturbed build, estimated before and after; an estimate is killed first."""
    outcome = Outcome(tmp_path_factory.mktemp("healthy"))
    folder, scratch = outcome.warehouse, outcome.warehouse / "estimate"
    before = files_of(folder)
    with fault_server(tmp_path_factory.mktemp("server"), brief=True) as server:
        begun = (scratch / "build.duckdb").exists
        paying.signal("estimate", folder, server, begun, signal.SIGKILL)
        assert scratch.exists()
        for stage in ("first", "second"):
            asked = len(server.calls)
            said = paying.run("estimate", folder, server.base_url)
            assert said.returncode == 0, said.stderr
            assert files_of(folder) == before
            outcome.printed[f"{stage} estimate"] = said.stdout
            outcome.calls[f"{stage} estimate"] = server.calls[asked:]
            if stage == "first":
                outcome.printed["build"] = paying.build(folder, server.base_url)
                outcome.calls["build"] = server.calls
                before = files_of(folder)
    return outcome


@pytest.fixture(scope="module")
def faulty(paying: Paying, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """A build whose key is refused at times, one with other faults, and another."""
    outcome = Outcome(tmp_path_factory.mktemp("faulty"))
    folder = outcome.warehouse
    with fault_server(tmp_path_factory.mktemp("refusing"), brief=True, f401=0.05) as server:
        outcome.printed["refused"] = paying.run("build", folder, server.base_url)
        outcome.calls["refused"] = server.calls
    with fault_server(
        tmp_path_factory.mktemp("failing"), brief=True, lasting=0.4, **FAULTS
    ) as server:
        outcome.printed["first"] = paying.build(folder, server.base_url)
        outcome.calls["first"] = server.calls
        outcome.printed["second"] = paying.build(folder, server.base_url)
        outcome.calls["second"] = server.calls[len(outcome.calls["first"]) :]
    return outcome


# -- estimates ---------------------------------------------------------------------------------


def test_an_estimate_asks_nothing_and_leaves_nothing(healthy: Outcome) -> None:
    assert healthy.calls["first estimate"] == healthy.calls["second estimate"] == []
    assert healthy.paid("build").total() == sum(STEPS.values())


def test_an_estimate_knows_what_is_answered(healthy: Outcome) -> None:
    first = estimated(healthy.printed["first estimate"])
    second = estimated(healthy.printed["second estimate"])
    assert {name: first[name][:2] for name in STEPS} == {n: [k, k] for n, k in STEPS.items()}
    assert {name: second[name][0] for name in STEPS} == STEPS
    assert {tuple(numbers[1:]) for numbers in second.values()} == {(0.0, 0.0, 0.0, 0.0)}


# -- faults ------------------------------------------------------------------------------------


def test_a_refused_key_ends_the_build_in_one_sentence(faulty: Outcome) -> None:
    refused = faulty.printed["refused"]
    assert refused.returncode in (1, 2)
    assert re.fullmatch(
        r"error: OPENAI_API_KEY: http://\S+ does not accept the key for model 'fake' \(401\); set "
        r"OPENAI_API_KEY to a key that may use it\n",
        refused.stderr,
    ), refused.stderr


def test_what_was_answered_before_the_key_was_refused_is_not_asked_again(faulty: Outcome) -> None:
    assert faulty.paid("refused")
    assert set(faulty.paid("refused", "first").values()) == {1}


def test_a_second_build_asks_nothing(faulty: Outcome) -> None:
    assert faulty.calls["second"] == []


# -- the ledger in another warehouse -----------------------------------------------------------


def test_a_ledger_makes_another_warehouse_pay_nothing(
    paying: Paying, healthy: Outcome, tmp_path: Path
) -> None:
    folder, ledger = tmp_path / "other", tmp_path / "ledger.jsonl.gz"
    folder.mkdir()
    stopped = paying.run("build", folder, DEAD)
    assert re.fullmatch(
        r"error: the endpoint http://127\.0\.0\.1:9/v1 gives no answers \(connection: .*\); start "
        r"it, or correct `base_url` in the profile, and run again: what was answered is kept\n",
        stopped.stderr,
    ), stopped.stderr
    assert stopped.returncode in (1, 2) and not (folder / "heterqa.duckdb").exists()

    exported = paying.run("ledger", healthy.warehouse, DEAD, "export", str(ledger))
    assert exported.returncode == 0, exported.stderr
    with gzip.open(ledger, "rt", encoding="utf-8") as file:
        entries = file.readlines()
    assert len(entries) == sum(STEPS.values())
    bad = tmp_path / "bad.jsonl"
    bad.write_text(entries[0] + entries[1][:-20] + "\n" + entries[2], encoding="utf-8")
    refused = paying.run("ledger", folder, DEAD, "import", str(bad))
    assert (refused.returncode, refused.stderr) == (
        2,
        f"error: {bad}, line 2: is no answer of a ledger; give a file of `make export-ledger`\n",
    )

    imported = paying.run("ledger", folder, DEAD, "import", str(ledger))
    assert imported.returncode == 0, imported.stderr
    assert f"{len(entries):,} answers of {ledger} are known" in imported.stdout
    paying.build(folder, DEAD)
    assert tree(folder / "release") == healthy.release


# -- the key -----------------------------------------------------------------------------------


def test_the_key_is_in_no_file(paying: Paying, faulty: Outcome) -> None:
    """Not in the files as they are, nor in the values of their tables, which are compressed."""
    sent = {call["fault"] for stage in faulty.calls.values() for call in stage}
    assert sent >= {"401", "echo", "escaped_echo", "429", "refusal", "escaped_refusal"}
    report_to_dagster(paying, faulty.warehouse)
    assert list((faulty.warehouse / "dagster").rglob("*.db"))
    assert files_with(faulty.warehouse, KEY) == []
    assert KEY not in repr(faulty.printed)
    masked = "select count(*) from asked.judgements where contains(error, '***')"
    assert count(faulty.published, masked) > 0


def test_a_key_would_be_found(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "plain.log").write_bytes(b"x" + KEY.encode())
    with gzip.open(tmp_path / "ledger.jsonl.gz", "wb") as file:
        file.write(KEY.encode() * 3)
    with duckdb.connect(tmp_path / "in" / "build.duckdb") as connection:
        connection.execute("create schema s")
        connection.execute(
            "create table s.t as"
            " select {'error': ['so ' || ? || n::varchar]} as answer from range(9999) as t(n)",
            [KEY],
        )
    shutil.copyfile(tmp_path / "in" / "build.duckdb", tmp_path / "copy.first")
    (tmp_path / "nothing.txt").touch()
    assert sorted(path.name for path in files_with(tmp_path, KEY)) == [
        "build.duckdb", "copy.first", "ledger.jsonl.gz", "plain.log",
    ]  # fmt: skip
