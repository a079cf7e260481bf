"""The resumable materialization, in a project of one model that counts what it asks."""

from __future__ import annotations

import gzip
import hashlib
import json
import signal
import time
from collections import Counter

import pytest

from tests.support.builds import PATIENCE
from tests.support.resumable_project import CHUNK, Project


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
    """The kill comes in the middle of the third chunk."""
    killed = project.start(HANG_AT_CALL="25")
    deadline = time.monotonic() + PATIENCE
    while len(project.calls) < 25:
        if killed.poll() is not None or time.monotonic() > deadline:
            killed.kill()
            pytest.fail(str(killed.communicate()))
        time.sleep(0.005)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    before = project.calls
    assert len(before) == 25

    status, _, resumed = project.run()
    assert status == "success"
    # What the two whole chunks were answered is kept; the third is asked again.
    assert len(resumed) == 30 - 2 * CHUNK
    assert set(before[2 * CHUNK :]) <= set(resumed) == set(contents(30)) - set(before[: 2 * CHUNK])
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
