"""The real project with language roles that are paid for: faults, a retry, an estimate, a ledger.

All warehouses here ask the same of servers that answer alike, so however a build was disturbed, it
has to end in the release of the build that was not. Limits, kills and the rest of what stops a
build are tested on the project `paid`, whose builds are short.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

from tests.builds.failed_calls import BREAKS, CHECKS
from tests.support.builds import count, environment, query, run, tree
from tests.support.fault_server import fault_server
from tests.support.paid import (
    DEAD,
    KEY,
    Outcome,
    Paying,
    estimated,
    files_of,
    files_with,
    quick_profile,
)
from udfs.contracts.answer import REASONS
from udfs.warehouse.journal import JOURNAL, paid_so_far
from udfs.warehouse.places import REPO
from udfs.warehouse.settings import Settings

# Failures, and answers that a client has to see through: fences, no usage, an echo of the key.
# Time-outs are tested on the endpoint alone: on a busy machine a healthy call would meet them too.
FAULTS = {
    "f429": 0.02, "f500": 0.02, "reset": 0.01, "half_body": 0.005,
    "half": 0.02, "schema": 0.02, "refusal": 0.02, "huge": 0.004, "empty": 0.01, "length": 0.01,
    "f400": 0.01, "filter": 0.01, "html": 0.005, "echo": 0.02, "escaped_echo": 0.02,
    "escaped_refusal": 0.01, "fenced": 0.02, "no_usage": 0.01,
}  # fmt: skip
HARMLESS = ("", "echo", "escaped_echo", "fenced", "no_usage")


@dataclass(frozen=True)
class City(Paying):
    """The small city, whose builds share the vectors."""

    vectors: Path

    def environment(self, warehouse: Path, url: str, **settings: str) -> dict[str, str]:
        # So many that some ask for praise without blame, also where a part of the calls fails.
        return super().environment(warehouse, url, **({"HETERQA_QUESTIONS": "16"} | settings))

    def prepare(self, warehouse: Path) -> Path:
        """A warehouse that knows the vectors and nothing else."""
        (warehouse / "ledger").mkdir(parents=True)
        shutil.copyfile(self.vectors, warehouse / "ledger" / "vectors.jsonl.gz")
        return warehouse


@pytest.fixture(scope="module")
def city(data: Path, warehouse: Path, tmp_path_factory: pytest.TempPathFactory) -> City:
    folder = tmp_path_factory.mktemp("paid")
    vectors = folder / "vectors.jsonl.gz"
    exported = run(
        "dagster_defs.commands.ledger", "export", str(vectors), environ=environment(warehouse, data)
    )
    assert exported.returncode == 0, exported.stderr
    return City(REPO, data, quick_profile(folder, timeout_seconds=600), vectors)


@pytest.fixture(scope="module")
def healthy(city: City, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """An undisturbed build, estimated before."""
    outcome = Outcome(city.prepare(tmp_path_factory.mktemp("healthy")))
    folder = outcome.warehouse
    before = files_of(folder)
    with fault_server(tmp_path_factory.mktemp("server"), brief=True) as server:
        said = city.run("estimate", folder, server.base_url)
        assert said.returncode == 0, said.stderr
        assert files_of(folder) == before
        outcome.printed["estimate"] = said.stdout
        outcome.calls["estimate"] = server.calls
        outcome.printed["build"] = city.build(folder, server.base_url)
        outcome.calls["build"] = server.calls
    return outcome


@pytest.fixture(scope="module")
def faulty(city: City, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """A build with every fault of a call, and a retry."""
    outcome = Outcome(city.prepare(tmp_path_factory.mktemp("faulty")))
    folder = outcome.warehouse
    with fault_server(
        tmp_path_factory.mktemp("failing"), brief=True, lasting=0.4, **FAULTS
    ) as server:
        outcome.printed["first"] = city.build(folder, server.base_url)
        outcome.calls["first"] = server.calls
        shutil.copyfile(outcome.published, folder.with_suffix(".first"))
    with fault_server(tmp_path_factory.mktemp("mended"), brief=True) as server:
        outcome.printed["retry"] = city.build(folder, server.base_url, "--retry-unresolved")
        outcome.calls["retry"] = server.calls
    return outcome


@pytest.fixture(scope="module")
def first(faulty: Outcome) -> Path:
    """The published warehouse of the build with faults, before the retry."""
    return faulty.warehouse.with_suffix(".first")


def unresolved(path: Path) -> dict[str, tuple[str, int, float]]:
    """Step, attempts and cost of the paid requests that have no answer, by key."""
    rows = query(
        path,
        "select request_key, step, attempts, cost from quality.responses"
        " where model = 'fake' and error is not null",
    )
    return {key: more for key, *more in rows}


# -- faults ------------------------------------------------------------------------------------


def test_an_undisturbed_build_asks_each_request_once(healthy: Outcome) -> None:
    assert set(healthy.paid("build").values()) == {1}
    assert all(call["fault"] == "" for call in healthy.calls["build"])
    asked = count(healthy.published, "select count(*) from quality.responses where model = 'fake'")
    # Some requests differ by their photo only, which is not there: they are one to the server.
    assert len(healthy.paid("build")) <= asked
    assert sum(healthy.paid("build").values()) == asked


def test_a_build_with_faults_pays_each_request_once(faulty: Outcome, first: Path) -> None:
    met = {call["fault"] for call in faulty.calls["first"]}
    wanted = {name[1:] if name[1:].isdigit() else name for name in FAULTS}
    assert met >= wanted, wanted - met
    assert set(faulty.paid("first").values()) == {1}
    assert count(first, "select count(*) from construction.certified_questions") > 0


def test_what_has_no_answer_says_why(faulty: Outcome, first: Path) -> None:
    """Exactly the requests that the server never answered well are unresolved."""
    answered, asked = set(), set()
    for call in faulty.calls["first"]:
        if not call["is_probe"]:
            asked.add(call["identity"])
            if call["is_paid"] and call["fault"] in HARMLESS:
                answered.add(call["identity"])
    rows = query(
        first,
        "select reason, count(*) from quality.responses"
        " where model = 'fake' and error is not null group by reason",
    )
    assert sum(number for _, number in rows) == len(asked - answered)
    reasons = {reason for reason, _ in rows}
    assert reasons <= set(REASONS)
    assert reasons >= {
        "rate limited", "server error", "connection", "empty", "cut off",
        "off schema", "refused", "too large", "bad request",
    }  # fmt: skip
    assert count(first, "select unresolved from quality.costs where step = 'all'") == len(
        asked - answered
    )


@pytest.mark.parametrize("fault", CHECKS)
def test_no_certified_answer_rests_on_a_failed_call(
    fault: str, first: Path, tmp_path: Path
) -> None:
    assert query(first, CHECKS[fault]) == []
    broken = tmp_path / "broken.duckdb"
    shutil.copyfile(first, broken)
    with duckdb.connect(broken) as connection:
        connection.execute(BREAKS[fault])
    assert query(broken, CHECKS[fault]) != []


# -- a retry and an estimate -------------------------------------------------------------------


def test_a_retry_asks_what_has_no_answer(faulty: Outcome, first: Path, healthy: Outcome) -> None:
    before, after = unresolved(first), unresolved(faulty.published)
    known = {call["identity"] for call in faulty.calls["first"]}
    again = [call for call in faulty.calls["retry"] if call["identity"] in known]
    retried = {key: row for key, row in before.items() if key not in after}
    assert len(again) == len(retried) > 0
    assert set(faulty.paid("retry").values()) == {1}
    # Requests that nobody makes any more are not asked again.
    assert set(after) < set(before)
    assert not [key for key, (step, *_) in after.items() if step == "sources.text_features"]
    now = {
        key: (attempts, cost)
        for key, attempts, cost in query(
            faulty.published, "select request_key, attempts, cost from quality.responses"
        )
    }
    for key, (_, attempts, cost) in retried.items():
        assert now[key][0] == attempts + 1
        assert now[key][1] > cost
    assert faulty.release == healthy.release


def test_an_estimate_asks_nothing_and_comes_near(healthy: Outcome) -> None:
    assert healthy.calls["estimate"] == []
    steps = estimated(healthy.printed["estimate"])
    wanted = {
        step.split(".")[1]: numbers
        for step, *numbers in query(
            healthy.published,
            "select step, answers, answers, input_tokens, output_tokens, cost from quality.costs"
            " where step != 'all'",
        )
    }
    assert list(steps)[-1] == "all" and set(steps) - {"all"} == set(wanted)
    # Everything after the first step depends on its answers.
    assert steps["text_features"][:2] == wanted["text_features"][:2]
    assert steps["content_vectors"][0] == wanted["content_vectors"][0]
    paid = [step for step, numbers in wanted.items() if numbers[-1]]
    assert len(paid) == 6
    assert steps["text_features"][2] == pytest.approx(wanted["text_features"][2], rel=0.25)
    assert steps["all"][-1] == pytest.approx(sum(wanted[step][-1] for step in paid), rel=0.4)
    assert steps["all"][1:] == pytest.approx(
        [sum(steps[step][place] for step in steps if step != "all") for place in range(1, 5)],
        abs=0.001,
    )


# -- the ledger in another warehouse -----------------------------------------------------------


def test_a_ledger_makes_another_warehouse_pay_nothing(
    city: City, healthy: Outcome, tmp_path: Path
) -> None:
    """It holds the answers of every step of the real project: nothing answers here."""
    folder, ledger = tmp_path / "other", tmp_path / "ledger.jsonl.gz"
    folder.mkdir()
    exported = city.run("ledger", healthy.warehouse, DEAD, "export", str(ledger))
    assert exported.returncode == 0, exported.stderr
    imported = city.run("ledger", folder, DEAD, "import", str(ledger))
    assert imported.returncode == 0, imported.stderr
    printed = city.build(folder, DEAD)
    assert "models asked 0 times" in printed
    assert tree(folder / "release") == healthy.release
    assert tree(folder / "runs") == tree(healthy.warehouse / "runs")


# -- what is known, and what is not to be ------------------------------------------------------


def test_what_was_paid_is_known_to_the_cent(healthy: Outcome) -> None:
    settings = Settings.from_env({"HETERQA_WAREHOUSE": str(healthy.warehouse)})
    charged, _ = healthy.spent("build")
    assert paid_so_far(settings).cost == pytest.approx(charged, abs=1e-9)
    journal = (settings.ledger_dir / JOURNAL).read_text(encoding="utf-8").splitlines()
    assert len(journal) == 1, "the tables hold all answers"


def test_the_key_is_in_no_file(faulty: Outcome, first: Path) -> None:
    """Not in the files as they are, nor in the values of their tables, which are compressed."""
    sent = {call["fault"] for stage in faulty.calls.values() for call in stage}
    assert sent >= {"echo", "escaped_echo", "429", "refusal", "escaped_refusal"}
    assert files_with(faulty.warehouse, KEY) == []
    assert KEY not in repr(faulty.printed)
    masked = "select count(*) from quality.responses where contains(error, '***')"
    assert count(first, masked) > 0
