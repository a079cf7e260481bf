"""What stops a build that pays: a limit, a kill, Ctrl-C, an endpoint that goes down.

The three paid steps of the project `paid` stand for those of the real one. However a build was
stopped, what was answered is not asked again, and the answers come out as if nothing had happened.
"""

from __future__ import annotations

import re
import signal
from typing import Any

import pytest

from tests.support.builds import query, tree
from tests.support.fault_server import FaultServer, fault_server
from tests.support.paid import IN_FLIGHT, Outcome, Paying, paid_project
from udfs.warehouse.journal import JOURNAL, paid_so_far
from udfs.warehouse.settings import Settings

REQUESTS = 280
# Answered again at once, when asked to repair it.
REPAIRED = ("schema", "half")
ANSWERS = {
    "asked.text_features": "request_key, content, features, error",
    "asked.judgements": "request_key, claim, content, verdict, confidence, reason, error",
    "asked.question_drafts": "request_key, spec, question, error",
}


@pytest.fixture(scope="module")
def paying(tmp_path_factory: pytest.TempPathFactory) -> Paying:
    return paid_project(tmp_path_factory.mktemp("paid_stops"))


@pytest.fixture(scope="module")
def healthy(paying: Paying, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """An undisturbed build."""
    outcome = Outcome(tmp_path_factory.mktemp("healthy"))
    with fault_server(tmp_path_factory.mktemp("server"), brief=True) as server:
        outcome.printed["build"] = paying.build(outcome.warehouse, server.base_url)
        outcome.calls["build"] = server.calls
    return outcome


def stage(outcome: Outcome, name: str, said: Any, calls: list[dict[str, Any]]) -> None:
    """Keep what a build said and asked; only the last one may have published anything."""
    outcome.printed[name], outcome.calls[name] = said, calls
    is_last = name == "last"
    assert outcome.published.exists() == is_last, said
    for path in ("release", "report.html"):
        assert (outcome.warehouse / path).exists() == is_last


@pytest.fixture(scope="module")
def limited(paying: Paying, healthy: Outcome, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """A build that a limit in dollars stops, then one in tokens, then an endpoint that goes down,
    and that comes to its end after all. While there is a limit, much has to be repaired, so that it
    falls between a reply and its repair."""
    outcome = Outcome(tmp_path_factory.mktemp("limited"))
    folder, printed = outcome.warehouse, outcome.printed
    repaired = dict.fromkeys(REPAIRED, 0.2)
    with fault_server(
        tmp_path_factory.mktemp("repairing"), brief=True, lasting=0, **repaired
    ) as server:
        printed["limit"] = healthy.spent("build")[0] / 2
        limit = f"{printed['limit']:.6f}"
        said = paying.run("build", folder, server.base_url, HETERQA_MAX_COST=limit)
        stage(outcome, "dollars", said, server.calls)
        before = len(server.calls)
        printed["tokens limit"] = outcome.spent("dollars")[1] + 20_000
        limit = f"{printed['tokens limit']} tokens"
        said = paying.run("build", folder, server.base_url, HETERQA_MAX_COST=limit)
        stage(outcome, "tokens", said, server.calls[before:])
    with fault_server(
        tmp_path_factory.mktemp("falling"), brief=True, down_after=30, down="500"
    ) as server:
        said = paying.run("build", folder, server.base_url)
        stage(outcome, "down", said, server.calls)
    finish(paying, outcome, tmp_path_factory)
    return outcome


@pytest.fixture(scope="module")
def killed(paying: Paying, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """A build that SIGKILL ends, then Ctrl-C, each while its calls are held by the server, and
    that comes to its end after all."""
    outcome = Outcome(tmp_path_factory.mktemp("killed"))
    for name, number in (("killed", signal.SIGKILL), ("interrupted", signal.SIGINT)):
        with fault_server(tmp_path_factory.mktemp(name), brief=True, gate_after=20) as server:
            said = paying.signal("build", outcome.warehouse, server, full(server), number)
            outcome.printed[f"held {name}"] = server.held
            server.open_gate()
            stage(outcome, name, said, server.calls)
    finish(paying, outcome, tmp_path_factory)
    return outcome


def full(server: FaultServer) -> Any:
    """Whether all calls that may be in flight are held."""
    return lambda: server.held.total() >= IN_FLIGHT


def finish(paying: Paying, outcome: Outcome, tmp_path_factory: pytest.TempPathFactory) -> None:
    with fault_server(tmp_path_factory.mktemp("last"), brief=True) as server:
        said = paying.build(outcome.warehouse, server.base_url)
        stage(outcome, "last", said, server.calls)


def test_an_undisturbed_build_asks_each_request_once(healthy: Outcome) -> None:
    assert healthy.paid("build").total() == len(healthy.paid("build")) == REQUESTS
    assert {call["fault"] for call in healthy.calls["build"]} == {""}


def test_a_limit_in_dollars_stops_the_build_before_it_is_passed(limited: Outcome) -> None:
    stopped, limit = limited.printed["dollars"], limited.printed["limit"]
    spent, _ = limited.spent("dollars")
    said = re.fullmatch(
        r"error: HETERQA_MAX_COST: spent \$([\d.]+) of \$([\d.]+), and the next request may cost "
        r"\$([\d.]+); raise HETERQA_MAX_COST and run again: what was paid is kept\n",
        stopped.stderr,
    )
    assert said, stopped.stderr
    assert float(said[1]) == pytest.approx(spent, abs=1e-4)
    assert float(said[2]) == pytest.approx(limit, abs=1e-4)
    # Not a request too early, nor one too late.
    assert limit - float(said[3]) - 1e-4 < spent <= limit
    assert stopped.returncode in (1, 2)


def test_a_limit_in_tokens_counts_what_was_paid_before(limited: Outcome) -> None:
    stopped, limit = limited.printed["tokens"], limited.printed["tokens limit"]
    _, spent = limited.spent("dollars", "tokens")
    said = re.match(
        rf"error: HETERQA_MAX_COST: spent {spent:,} tokens of {limit:,} tokens, and the next "
        r"request may cost ([\d,]+) tokens; ",
        stopped.stderr,
    )
    assert said, (spent, stopped.stderr)
    assert limit - int(said[1].replace(",", "")) < spent <= limit
    assert stopped.stderr.count("\n") == 1
    assert limited.calls["tokens"]
    # Twice was asked only what the limit has cut off between reply and repair.
    half_done = {c["body_hash"] for c in limited.calls["dollars"] if c["fault"] in REPAIRED}
    again = {key for key, times in limited.paid("dollars", "tokens").items() if times > 1}
    assert again <= half_done and len(again) <= IN_FLIGHT


@pytest.mark.parametrize(
    ("name", "later", "code", "said"),
    [
        ("killed", ("interrupted", "last"), -signal.SIGKILL, ""),
        (
            "interrupted",
            ("last",),
            130,
            "\nstopped; the answers so far are kept for the next `make run`\n",
        ),
    ],
)
def test_an_interruption_costs_the_calls_in_flight(
    name: str, later: tuple[str, ...], code: int, said: str, killed: Outcome
) -> None:
    """These exactly: the answers that came before are known, and nothing more was sent."""
    assert killed.printed[name] == (code, said)
    held = killed.printed[f"held {name}"]
    assert held.total() == IN_FLIGHT
    assert killed.paid(name).total() == 20 + IN_FLIGHT
    assert killed.paid(name) & killed.paid(*later) == held


def test_an_endpoint_that_goes_down_ends_the_build_in_one_sentence(limited: Outcome) -> None:
    stopped = limited.printed["down"]
    assert stopped.returncode in (1, 2)
    assert re.fullmatch(
        r"error: the endpoint http://\S+ gives no answers \(server error: 500 .*\); see what it "
        r"logs, or correct `base_url` in the profile, and run again: what was answered is kept\n",
        stopped.stderr,
    ), stopped.stderr
    assert len(limited.paid("down")) == 30
    assert not limited.paid("down") & limited.paid("last")


@pytest.mark.parametrize("name", ["limited", "killed"])
def test_a_stopped_build_comes_to_the_same_end(
    name: str, healthy: Outcome, request: pytest.FixtureRequest
) -> None:
    outcome: Outcome = request.getfixturevalue(name)
    assert set(outcome.paid(*outcome.calls, with_repairs=False)) == set(healthy.paid("build"))
    for table, columns in ANSWERS.items():
        answers = f"select {columns} from {table} order by request_key"
        assert query(outcome.published, answers) == query(healthy.published, answers)
        assert query(outcome.published, f"from {table} where error is not null") == []
    assert outcome.release == healthy.release
    assert tree(outcome.warehouse / "runs") == tree(healthy.warehouse / "runs")


def test_what_was_paid_is_known_to_the_cent(
    healthy: Outcome, limited: Outcome, killed: Outcome
) -> None:
    """To the call: of those that a kill cut off, nobody knows what they cost, so it is the most."""
    known = {}
    for name, outcome in (("healthy", healthy), ("limited", limited), ("killed", killed)):
        settings = Settings.from_env({"HETERQA_WAREHOUSE": str(outcome.warehouse)})
        known[name] = (paid_so_far(settings).cost, outcome.spent(*outcome.calls)[0])
        journal = (settings.ledger_dir / JOURNAL).read_text(encoding="utf-8").splitlines()
        assert len(journal) == 1, "the tables hold all answers"
    for name in ("healthy", "limited"):
        paid, charged = known[name]
        assert paid == pytest.approx(charged, abs=1e-9)
    paid, charged = known["killed"]
    assert charged + 1e-9 < paid <= charged + 2 * IN_FLIGHT * 0.002
