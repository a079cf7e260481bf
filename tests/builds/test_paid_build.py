"""Builds whose language roles are paid for: faults, kills, limits, and what is never paid twice.

All warehouses here ask the same of servers that answer alike, so however a build was disturbed, it
has to end in the release of the build that was not.
"""

from __future__ import annotations

import gzip
import itertools
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

from tests.support.builds import BUILD, count, environment, query, run, tree
from tests.support.fault_server import FaultServer, fault_server
from udfs.contracts.answer import REASONS
from udfs.warehouse.journal import JOURNAL, paid_so_far
from udfs.warehouse.places import PROFILE_FOLDER, REPO
from udfs.warehouse.settings import Settings

KEY = "sk-planted-4f9b2c7d1e8a6053"
DEAD = "http://127.0.0.1:9/v1"
IN_FLIGHT = 16
PRICE = {"prompt_tokens": 0.15 / 1e6, "completion_tokens": 0.60 / 1e6}
# Beside what fails, what a client has to see through: fences, no usage, an echo of the key.
FAULTS = {
    "f429": 0.02, "f500": 0.02, "reset": 0.01, "hang": 0.002, "drip": 0.002, "half_body": 0.005,
    "half": 0.02, "schema": 0.02, "refusal": 0.02, "huge": 0.004, "empty": 0.01, "length": 0.01,
    "f400": 0.01, "filter": 0.01, "html": 0.005, "echo": 0.02, "escaped_echo": 0.02,
    "escaped_refusal": 0.01, "fenced": 0.02, "no_usage": 0.01,
}  # fmt: skip
HARMLESS = ("", "echo", "escaped_echo", "fenced", "no_usage")
# Answered again at once, when asked to repair it.
REPAIRED = ("schema", "half")
# Paid for, but the answer does not arrive: asked again, as nobody can tell.
LOST = ("half_body", "drip")


@dataclass(frozen=True)
class City:
    """What all builds share: the collection, a profile with short waits, and the vectors."""

    data: Path
    profile: Path
    vectors: Path

    def environment(self, warehouse: Path, url: str, **settings: str) -> dict[str, str]:
        paid = {
            "HETERQA_PROFILE": str(self.profile),
            "HETERQA_BASE_URL": url,
            "HETERQA_MODEL": "fake",
            # So many that some ask for praise without blame, also where a part of the calls fails.
            "HETERQA_QUESTIONS": "16",
            "OPENAI_API_KEY": KEY,
            "COLUMNS": "200",
        }
        return environment(warehouse, self.data, **(paid | settings))

    def prepare(self, warehouse: Path) -> Path:
        """A warehouse that knows the vectors and nothing else."""
        (warehouse / "ledger").mkdir(parents=True)
        shutil.copyfile(self.vectors, warehouse / "ledger" / "vectors.jsonl.gz")
        return warehouse

    def run(
        self, module: str, warehouse: Path, url: str, *arguments: str, **settings: str
    ) -> subprocess.CompletedProcess[str]:
        environ = self.environment(warehouse, url, **settings)
        return run(f"dagster_defs.{module}", *arguments, environ=environ)

    def build(self, warehouse: Path, url: str, *arguments: str) -> str:
        """A build that has to succeed; returns what it printed."""
        result = self.run("build", warehouse, url, *arguments)
        assert result.returncode == 0, result.stdout[-4000:] + result.stderr
        return result.stdout

    def interrupt(
        self, what: str, warehouse: Path, server: FaultServer, when: Callable[[], bool], number: int
    ) -> tuple[int, str]:
        """Send a signal to a command once something is so; its exit code and last words."""
        process = subprocess.Popen(
            [*BUILD[:-1], f"dagster_defs.{what}"],
            cwd=REPO,
            env=self.environment(warehouse, server.base_url),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            # A test run in the background would hand down that Ctrl-C is ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        try:
            deadline = time.monotonic() + 240
            while not when():
                assert process.poll() is None and time.monotonic() < deadline, process.communicate()
                time.sleep(0.01)
            process.send_signal(number)
            _, errors = process.communicate(timeout=30)
        finally:
            process.kill()
        return process.returncode, errors


@dataclass
class Outcome:
    """A warehouse, what was printed on the way, and what servers were asked for it."""

    warehouse: Path
    printed: dict[str, Any] = field(default_factory=dict)
    calls: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    @property
    def published(self) -> Path:
        return self.warehouse / "heterqa.duckdb"

    @property
    def release(self) -> dict[str, bytes]:
        return tree(self.warehouse / "release")

    def paid(self, *stages: str, with_repairs: bool = True) -> Counter[str]:
        """How often each distinct request was answered in these stages."""
        calls = itertools.chain.from_iterable(self.calls[stage] for stage in stages)
        return Counter(
            call["body_hash"]
            for call in calls
            if call["is_paid"]
            and not call["is_probe"]
            and call["fault"] not in LOST
            and (with_repairs or not call["is_repair"])
        )

    def spent(self, *stages: str) -> tuple[float, int]:
        """Dollars and tokens that the server charged in these stages."""
        usages = [call.get("usage") or {} for stage in stages for call in self.calls[stage]]
        tokens = {name: sum(usage.get(name, 0) for usage in usages) for name in PRICE}
        dollars = sum(tokens[name] * price for name, price in PRICE.items())
        return dollars, sum(tokens.values())


@pytest.fixture(scope="module")
def city(data: Path, warehouse: Path, tmp_path_factory: pytest.TempPathFactory) -> City:
    folder = tmp_path_factory.mktemp("paid")
    profile = yaml.safe_load((PROFILE_FOLDER / "openai.yml").read_text(encoding="utf-8"))
    quick = {"timeout_seconds": 4, "attempts": 2, "back_off_seconds": 0.02, "deadline_seconds": 30}
    for parameters in profile.values():
        if parameters.get("backend") == "openai":
            parameters |= quick
    (folder / "quick.yml").write_text(yaml.safe_dump(profile), encoding="utf-8")
    vectors = folder / "vectors.jsonl.gz"
    exported = run(
        "dagster_defs.commands.ledger", "export", str(vectors), environ=environment(warehouse, data)
    )
    assert exported.returncode == 0, exported.stderr
    return City(data, folder / "quick.yml", vectors)


def steps_of(printed: str) -> dict[str, list[float]]:
    """The numbers of an estimate by step: requests, to ask, tokens in and out, dollars."""
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in printed.splitlines()]
    return {row[0]: [float(n.replace(",", "")) for n in row[1:]] for row in rows if len(row) == 6}


def files_of(warehouse: Path) -> dict[str, bytes]:
    """The files of a warehouse but for its lock, and that the folder of a scratch is gone."""
    assert not (warehouse / "estimate").exists()
    return {name: content for name, content in tree(warehouse).items() if name != "build.lock"}


@pytest.fixture(scope="module")
def healthy(city: City, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """An undisturbed build, estimated before and after; an estimate is killed first."""
    outcome = Outcome(city.prepare(tmp_path_factory.mktemp("healthy")))
    folder, scratch = outcome.warehouse, outcome.warehouse / "estimate"
    before = files_of(folder)
    with fault_server(tmp_path_factory.mktemp("server"), brief=True) as server:
        city.interrupt(
            "estimate", folder, server, (scratch / "build.duckdb").exists, signal.SIGKILL
        )
        assert scratch.exists()
        for stage in ("first", "second"):
            estimated = city.run("estimate", folder, server.base_url)
            assert estimated.returncode == 0, estimated.stderr
            assert files_of(folder) == before
            outcome.printed[f"{stage} estimate"] = estimated.stdout
            outcome.calls[f"{stage} estimate"] = server.calls[len(outcome.calls.get("build", [])) :]
            if stage == "first":
                outcome.printed["build"] = city.build(folder, server.base_url)
                outcome.calls["build"] = server.calls
                before = files_of(folder)
    return outcome


@pytest.fixture(scope="module")
def faulty(city: City, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """A build whose key is refused at times, one with every other fault, another, and a retry."""
    outcome = Outcome(city.prepare(tmp_path_factory.mktemp("faulty")))
    folder = outcome.warehouse
    with fault_server(tmp_path_factory.mktemp("refusing"), brief=True, f401=0.01) as server:
        outcome.printed["refused"] = city.run("build", folder, server.base_url)
        outcome.calls["refused"] = server.calls
    with fault_server(
        tmp_path_factory.mktemp("failing"), brief=True, lasting=0.4, **FAULTS
    ) as server:
        outcome.printed["first"] = city.build(folder, server.base_url)
        outcome.calls["first"] = server.calls
        shutil.copyfile(outcome.published, folder.with_suffix(".first"))
        outcome.printed["second"] = city.build(folder, server.base_url)
        outcome.calls["second"] = server.calls[len(outcome.calls["first"]) :]
    with fault_server(tmp_path_factory.mktemp("mended"), brief=True) as server:
        outcome.printed["retry"] = city.build(folder, server.base_url, "--retry-unresolved")
        outcome.calls["retry"] = server.calls
    return outcome


@pytest.fixture(scope="module")
def first(faulty: Outcome) -> Path:
    """The published warehouse of the build with faults, before the retry."""
    return faulty.warehouse.with_suffix(".first")


@pytest.fixture(scope="module")
def disturbed(city: City, healthy: Outcome, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """A build that a limit in dollars stops, then one in tokens, SIGKILL, Ctrl-C and an endpoint
    that goes down, and that comes to its end after all. While there is a limit, much has to be
    repaired, so that it falls between a reply and its repair."""
    outcome = Outcome(city.prepare(tmp_path_factory.mktemp("disturbed")))
    folder, printed = outcome.warehouse, outcome.printed

    def stage(name: str, what: Callable[[], Any], server: FaultServer) -> None:
        before = len(server.calls)
        printed[name] = what()
        time.sleep(0.5)  # until what was in flight is answered, to nobody
        outcome.calls[name] = server.calls[before:]
        is_last = name == "last"
        assert outcome.published.exists() == is_last, printed[name]
        assert (folder / "release").exists() == (folder / "report.html").exists() == is_last

    def limited(limit: str) -> Callable[[], Any]:
        return lambda: city.run("build", folder, server.base_url, HETERQA_MAX_COST=limit)

    def signalled(number: int) -> Callable[[], Any]:
        # A quarter of what is left, so that some is left for the next stages.
        asked = sum(map(len, outcome.calls.values()))
        more = (len(healthy.calls["build"]) - asked) // 4
        enough = lines(server.log_path) + more
        return lambda: city.interrupt(
            "build", folder, server, lambda: lines(server.log_path) >= enough, number
        )

    with fault_server(
        tmp_path_factory.mktemp("server"), brief=True, lasting=0, **dict.fromkeys(REPAIRED, 0.2)
    ) as server:
        printed["limit"] = steps_of(healthy.printed["first estimate"])["all"][-1] / 2
        stage("dollars", limited(f"{printed['limit']:.6f}"), server)
        printed["tokens limit"] = outcome.spent("dollars")[1] + 20_000
        stage("tokens", limited(f"{printed['tokens limit']} tokens"), server)
    with fault_server(tmp_path_factory.mktemp("slow"), brief=True, latency=0.2) as server:
        stage("killed", signalled(signal.SIGKILL), server)
        stage("interrupted", signalled(signal.SIGINT), server)
    with fault_server(
        tmp_path_factory.mktemp("falling"), brief=True, down_after=30, down="500"
    ) as server:
        stage("down", lambda: city.run("build", folder, server.base_url), server)
    with fault_server(tmp_path_factory.mktemp("last"), brief=True) as server:
        stage("last", lambda: city.build(folder, server.base_url), server)
    return outcome


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


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
    assert set(faulty.paid("refused", "first").values()) == {1}
    assert count(first, "select count(*) from construction.certified_questions") > 0


def test_what_has_no_answer_says_why(faulty: Outcome, first: Path) -> None:
    """Exactly the requests that the server never answered well are unresolved."""
    answered, asked = set(), set()
    for call in faulty.calls["refused"] + faulty.calls["first"]:
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
        "rate limited", "server error", "connection", "timed out", "empty", "cut off",
        "off schema", "refused", "too large", "bad request",
    }  # fmt: skip
    assert count(first, "select unresolved from quality.costs where step = 'all'") == len(
        asked - answered
    )


# What a certified answer must not rest on, read off requests and raw answers: each is empty.
CHECKS = {
    "a question whose wording failed": """
        select certified.qid
        from construction.certified_questions as certified
        where certified.question not in (
            select question from construction.question_drafts where error is null
        )
    """,
    "a requirement that was not judged met": """
        with read_praise as (
            select record_id, feature_id
            from sources.kg_mentions
            inner join sources.texts using (text_id, record_id)
            inner join sources.text_features using (content)
            where polarity = 'positive' and text_features.error is null
        ),

        judged as (
            select evidence.part_id, evidence.record_id
            from construction.support_evidence as evidence
            inner join construction.support_judgements as judgements using (request_key)
            where
                judgements.error is null and judgements.verdict = 'yes'
                and judgements.confidence >= 0.7
        )

        select answers.qid, answers.record_id, parts.part_id
        from construction.answer_sets as answers
        inner join construction.constraint_parts as parts using (attempt_id)
        where
            parts.is_judged
            and (parts.part_id, answers.record_id) not in (
                select (part_id, record_id) from judged
            )
            and (answers.record_id, coalesce(parts.feature_id, '')) not in (
                select (record_id, feature_id) from read_praise
            )
    """,
    "a contradiction that nobody could exclude": """
        select attempt_id, record_id
        from construction.answer_sets
        inner join construction.contradiction_evidence as evidence using (attempt_id, record_id)
        left join construction.contradiction_judgements as judgements using (request_key)
        group by attempt_id, record_id, evidence.channel
        having
            count(*) filter (where judgements.error is not null or verdict is distinct from 'no')
            / count(*) > 0.15
    """,
    "praise of what is to be avoided in a text that nobody read": """
        select support.attempt_id, support.record_id
        from construction.support as support
        inner join sources.texts as texts using (record_id)
        left join sources.text_features as features using (content)
        where
            support.part_kind = 'avoid' and support.verdict = 'yes'
            and not texts.is_empty
            and (features.request_key is null or features.error is not null)
    """,
    "a value that was recovered past a failed call": """
        select answers.qid, answers.record_id
        from construction.answer_sets as answers
        inner join construction.constraint_status as status using (attempt_id, record_id)
        left join construction.recovery_evidence as evidence using (claim_id, record_id)
        left join construction.recovery_judgements as judgements using (request_key)
        where status.status = 'recovered'
        group by answers.qid, answers.record_id, status.constraint_id
        having
            count(*) filter (where judgements.error is not null) > 0
            or not coalesce(bool_or(
                evidence.direction = 'for' and not judgements.is_against
                and judgements.confidence >= 0.3
            ), false)
    """,
    "released evidence that was not judged": """
        with judged as (
            select evidence.record_id, evidence.claim, evidence.evidence_id
            from construction.support_evidence as evidence
            inner join construction.support_judgements as judgements using (request_key)
            where judgements.error is null and judgements.verdict = 'yes'
            union all
            select evidence.record_id, claims.claim, evidence.evidence_id
            from construction.recovery_evidence as evidence
            inner join construction.field_claims as claims using (claim_id)
            inner join construction.recovery_judgements as judgements using (request_key)
            where
                judgements.error is null and not judgements.is_against
                and evidence.direction = 'for'
        )

        select qid, business_id, source_locator
        from release.evidence as released
        where
            verification_method in (
                'text_judgement', 'photo_judgement', 'missing_value_recovery'
            )
            and not exists (
                select 1
                from judged
                where
                    judged.record_id = released.business_id
                    and judged.claim = released.claim_summary
                    and split_part(split_part(judged.evidence_id, ':', 2), '.', 1)
                    = released.source_locator
            )
    """,
}
# What each check would have to notice: an answer that is used fails after all.
BREAKS = {
    "a question whose wording failed": "update construction.question_drafts set error = 'x'",
    "a requirement that was not judged met": (
        "update construction.support_judgements set error = 'x'"
    ),
    "a contradiction that nobody could exclude": (
        "update construction.contradiction_judgements set error = 'x'"
    ),
    "praise of what is to be avoided in a text that nobody read": (
        "update sources.text_features set error = 'x'"
    ),
    "a value that was recovered past a failed call": (
        "update construction.constraint_status set status = 'recovered'"
    ),
    "released evidence that was not judged": (
        "update construction.support_judgements set verdict = 'no'"
    ),
}


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


# -- again, and retried ------------------------------------------------------------------------


def test_a_second_build_asks_nothing(faulty: Outcome) -> None:
    assert faulty.calls["second"] == []
    assert "models asked 0 times" in faulty.printed["second"]


def test_a_retry_asks_what_has_no_answer(faulty: Outcome, first: Path, healthy: Outcome) -> None:
    before, after = unresolved(first), unresolved(faulty.published)
    known = {call["identity"] for call in faulty.calls["refused"] + faulty.calls["first"]}
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


# -- limits, kills, an endpoint that goes down -------------------------------------------------


def test_a_limit_in_dollars_stops_the_build_before_it_is_passed(disturbed: Outcome) -> None:
    stopped, limit = disturbed.printed["dollars"], disturbed.printed["limit"]
    spent, _ = disturbed.spent("dollars")
    assert limit * 0.9 < spent <= limit
    said = re.fullmatch(
        r"error: HETERQA_MAX_COST: spent \$([\d.]+) of \$([\d.]+), and the next request may cost "
        r"\$[\d.]+; raise HETERQA_MAX_COST and run again: what was paid is kept\n",
        stopped.stderr,
    )
    assert said, stopped.stderr
    assert float(said[1]) == pytest.approx(spent, abs=1e-4)
    assert float(said[2]) == pytest.approx(limit, abs=1e-4)
    assert stopped.returncode in (1, 2)


def test_a_limit_in_tokens_counts_what_was_paid_before(disturbed: Outcome) -> None:
    stopped, limit = disturbed.printed["tokens"], disturbed.printed["tokens limit"]
    _, spent = disturbed.spent("dollars", "tokens")
    assert limit * 0.9 < spent <= limit
    assert f"error: HETERQA_MAX_COST: spent {spent:,} tokens of {limit:,} tokens, and" in (
        stopped.stderr
    )
    assert stopped.stderr.count("\n") == 1
    assert disturbed.calls["tokens"]
    # Twice was asked only what the limit has cut off between reply and repair.
    half_done = {c["body_hash"] for c in disturbed.calls["dollars"] if c["fault"] in REPAIRED}
    again = {key for key, times in disturbed.paid("dollars", "tokens").items() if times > 1}
    assert again <= half_done and len(again) <= IN_FLIGHT


@pytest.mark.parametrize(
    ("stage", "later", "code", "said"),
    [
        ("killed", ("interrupted", "down", "last"), -signal.SIGKILL, ""),
        (
            "interrupted",
            ("down", "last"),
            130,
            "\nstopped; the answers so far are kept for the next `make run`\n",
        ),
    ],
)
def test_an_interruption_costs_the_calls_in_flight(
    stage: str, later: tuple[str, ...], code: int, said: str, disturbed: Outcome
) -> None:
    assert disturbed.printed[stage] == (code, said)
    assert disturbed.paid(stage)
    again = disturbed.paid(stage) & disturbed.paid(*later)
    assert 0 < sum(again.values()) <= IN_FLIGHT


def test_an_endpoint_that_goes_down_ends_the_build_in_one_sentence(disturbed: Outcome) -> None:
    stopped = disturbed.printed["down"]
    assert stopped.returncode in (1, 2)
    assert re.fullmatch(
        r"error: the endpoint http://\S+ gives no answers \(server error: 500 .*\); see what it "
        r"logs, or correct `base_url` in the profile, and run again: what was answered is kept\n",
        stopped.stderr,
    ), stopped.stderr
    assert len(disturbed.paid("down")) == 30
    assert not disturbed.paid("down") & disturbed.paid("last")


def test_a_disturbed_build_comes_to_the_same_end(disturbed: Outcome, healthy: Outcome) -> None:
    stages = ("dollars", "tokens", "killed", "interrupted", "down", "last")
    assert set(disturbed.paid(*stages, with_repairs=False)) == set(healthy.paid("build"))
    assert unresolved(disturbed.published) == {}
    assert disturbed.release == healthy.release
    assert tree(disturbed.warehouse / "runs") == tree(healthy.warehouse / "runs")


def test_what_was_paid_is_known_to_the_cent(disturbed: Outcome, healthy: Outcome) -> None:
    """To the call: of those that a kill cut off, nobody knows what they cost, so it is the most."""
    known = {}
    for outcome, stages in ((healthy, ["build"]), (disturbed, [*disturbed.calls])):
        settings = Settings.from_env({"HETERQA_WAREHOUSE": str(outcome.warehouse)})
        known[outcome.warehouse] = (paid_so_far(settings).cost, outcome.spent(*stages)[0])
        journal = (settings.ledger_dir / JOURNAL).read_text(encoding="utf-8").splitlines()
        assert len(journal) == 1, "the tables hold all answers"
    paid, charged = known[healthy.warehouse]
    assert paid == pytest.approx(charged, abs=1e-9)
    paid, charged = known[disturbed.warehouse]
    assert charged - 1e-9 <= paid <= charged + 2 * IN_FLIGHT * 0.002


# -- estimates ---------------------------------------------------------------------------------


def test_an_estimate_asks_nothing_and_comes_near(healthy: Outcome) -> None:
    assert healthy.calls["first estimate"] == healthy.calls["second estimate"] == []
    steps = steps_of(healthy.printed["first estimate"])
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


def test_an_estimate_knows_what_is_answered(healthy: Outcome) -> None:
    first = steps_of(healthy.printed["first estimate"])
    steps = steps_of(healthy.printed["second estimate"])
    assert first["text_features"][1] > 0
    assert steps["text_features"][0] == first["text_features"][0]
    assert {tuple(numbers[1:]) for numbers in steps.values()} == {(0.0, 0.0, 0.0, 0.0)}


# -- the ledger in another warehouse -----------------------------------------------------------


def test_a_ledger_makes_another_warehouse_pay_nothing(
    city: City, healthy: Outcome, tmp_path: Path
) -> None:
    folder, ledger = tmp_path / "other", tmp_path / "ledger.jsonl.gz"
    folder.mkdir()
    stopped = city.run("build", folder, DEAD)
    assert re.fullmatch(
        r"error: the endpoint http://127\.0\.0\.1:9/v1 gives no answers \(connection: .*\); start "
        r"it, or correct `base_url` in the profile, and run again: what was answered is kept\n",
        stopped.stderr,
    ), stopped.stderr
    assert stopped.returncode in (1, 2) and not (folder / "heterqa.duckdb").exists()

    exported = city.run("ledger", healthy.warehouse, DEAD, "export", str(ledger))
    assert exported.returncode == 0, exported.stderr
    with gzip.open(ledger, "rt", encoding="utf-8") as file:
        entries = file.readlines()
    bad = tmp_path / "bad.jsonl"
    bad.write_text(entries[0] + entries[1][:-20] + "\n" + entries[2], encoding="utf-8")
    refused = city.run("ledger", folder, DEAD, "import", str(bad))
    assert (refused.returncode, refused.stderr) == (
        2,
        f"error: {bad}, line 2: is no answer of a ledger; give a file of `make export-ledger`\n",
    )

    imported = city.run("ledger", folder, DEAD, "import", str(ledger))
    assert imported.returncode == 0, imported.stderr
    assert f"{len(entries):,} answers of {ledger} are known" in imported.stdout
    printed = city.build(folder, DEAD)
    assert "models asked 0 times" in printed
    assert tree(folder / "release") == healthy.release


# -- the key -----------------------------------------------------------------------------------


def test_the_key_is_in_no_file(city: City, faulty: Outcome, disturbed: Outcome) -> None:
    """Not in the files as they are, nor in the values of their tables, which are compressed."""
    sent = {call["fault"] for stage in faulty.calls.values() for call in stage}
    assert sent >= {"401", "echo", "escaped_echo", "429", "refusal", "escaped_refusal"}
    refused = faulty.printed["refused"]
    assert refused.returncode in (1, 2)
    assert re.fullmatch(
        r"error: OPENAI_API_KEY: http://\S+ does not accept the key for model 'fake' \(401\); set "
        r"OPENAI_API_KEY to a key that may use it\n",
        refused.stderr,
    ), refused.stderr
    # What `make dev` shows: Dagster's own storage.
    shown = subprocess.run(
        [
            *(sys.executable, "-c"),
            "from dagster_defs.warehouse.instance import report_saved_results as show;"
            " from udfs.warehouse.settings import Settings; show(Settings.from_env())",
        ],
        cwd=REPO,
        env=city.environment(faulty.warehouse, DEAD),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert shown.returncode == 0, shown.stderr
    for outcome in (faulty, disturbed):
        found = files_with(outcome.warehouse, KEY.encode())
        assert found == []
        assert KEY not in repr(outcome.printed)
    assert list((faulty.warehouse / "dagster").rglob("*.db"))
    masked = "select count(*) from quality.responses where contains(error, '***')"
    assert count(faulty.warehouse.with_suffix(".first"), masked) > 0


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
    (tmp_path / "nothing.txt").touch()
    assert sorted(path.name for path in files_with(tmp_path, KEY.encode())) == [
        "build.duckdb", "ledger.jsonl.gz", "plain.log",
    ]  # fmt: skip


def files_with(folder: Path, secret: bytes) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and holds(path, secret)]


def holds(path: Path, secret: bytes) -> bool:
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    if secret in content:
        return True
    if path.suffix not in (".duckdb", ".first"):
        return False
    with duckdb.connect(path, read_only=True) as connection:
        tables = connection.execute(
            "select schema_name, table_name from duckdb_tables() where not temporary"
        ).fetchall()
        return any(
            connection.execute(
                f'select count(*) from "{schema}"."{name}" as row where contains(row::varchar, ?)',
                [secret.decode()],
            ).fetchone()
            != (0,)
            for schema, name in tables
        )
