"""The backend `openai` against a server with faults: reasons, retries, bounds, the key, speed."""

from __future__ import annotations

import contextlib
import logging
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.support.fault_server import HUGE_BYTES, FaultServer, fault_server
from udfs.contracts.answer import REASONS, Answer
from udfs.endpoint import calls
from udfs.endpoint.budget import Budget, Usage
from udfs.endpoint.photo import PhotoError
from udfs.endpoint.prompt import chat_request, photo_request
from udfs.endpoint.requests import (
    BudgetSpent,
    ChatRequest,
    Endpoint,
    EndpointDown,
    ask_chat,
    ask_embeddings,
)
from udfs.endpoint.retry import MOST_RETRY_AFTER, back_off, retry_after
from udfs.endpoint.transport import Failure
from udfs.warehouse.cost_limit import CostLimit
from udfs.warehouse.errors import UserError
from udfs.warehouse.places import REPO

KEY = "sk-planted-0123456789abcdef"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory):
    with fault_server(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def endpoint(server: FaultServer | str, **parameters: Any) -> Endpoint:
    quick = {
        "model": "m",
        "timeout_seconds": 2.0,
        "attempts": 3,
        "back_off_seconds": 0.01,
        "in_flight": 4,
    }
    url = server if isinstance(server, str) else server.base_url
    return Endpoint(backend="openai", base_url=url, **quick | parameters)


def request(text: str, key: str = "k") -> ChatRequest:
    """A judgement of a text that holds what it is judged on."""
    return chat_request(key, "judge_support", claim="It has a patio.", evidence=f"A patio. {text}")


def ask(server: FaultServer, text: str, **parameters: Any) -> Answer:
    answers = ask_chat([request(text)], endpoint(server, **parameters))
    assert len(answers) == 1
    return answers[0]


# -- one request ---------------------------------------------------------------------------------


def test_an_answer_is_an_instance_of_its_schema_with_tokens_latency_and_cost(server):
    priced = endpoint(server, price={"input": 2.0, "output": 10.0})
    (answer,) = ask_chat([request("good")], priced)
    assert answer.error is None
    assert (answer.value.verdict, answer.value.is_against) == ("yes", False)
    assert answer.attempts == 1 and answer.latency_ms > 0
    assert answer.input_tokens > 100 and answer.output_tokens > 5
    assert answer.cost == pytest.approx(
        (answer.input_tokens * 2 + answer.output_tokens * 10) / 1e6, rel=1e-12
    )


@pytest.mark.parametrize(
    ("fault", "reason", "attempts"),
    [
        ("429", "rate limited", 3),
        ("500", "server error", 3),
        ("reset", "connection", 3),
        ("hang", "timed out", 3),
        ("drip", "timed out", 3),
        ("half_body", "server error", 3),
        ("html", "server error", 3),
        ("half", "off schema", 2),
        ("schema", "off schema", 2),
        ("refusal", "refused", 1),
        ("filter", "refused", 1),
        ("400", "bad request", 1),
        ("empty", "empty", 1),
        ("length", "cut off", 1),
        ("huge", "too large", 1),
    ],
)
def test_a_lasting_fault_is_an_answer_without_value_and_with_its_reason(
    server, fault, reason, attempts
):
    seconds = 0.3 if fault in ("hang", "drip") else 5.0
    # An endpoint that has answered before is not asked whether it is up.
    up = {"model": f"m-{fault}", "timeout_seconds": seconds}
    assert ask(server, "all is well", **up).error is None
    started = time.monotonic()
    answer = ask(server, f"FAULT {fault} always", **up)
    assert answer.value is None
    assert answer.error.startswith(f"{reason}: ")
    assert reason in REASONS
    assert "\n" not in answer.error and len(answer.error) < 300
    # Where nothing else came back meanwhile, one more request says that the endpoint is up.
    assert answer.attempts - attempts in ((1,) if attempts == 3 else (0,))
    assert time.monotonic() - started < 30


@pytest.mark.parametrize(
    "fault", ["429", "500", "reset", "hang", "drip", "half_body", "half", "schema"]
)
def test_a_fault_on_the_first_try_is_overcome_by_the_second(server, fault):
    seconds = 0.5 if fault in ("hang", "drip") else 5.0
    answer = ask(server, f"FAULT {fault} once", timeout_seconds=seconds)
    assert answer.error is None
    assert answer.value.verdict == "yes"
    assert answer.attempts == 2
    # An attempt of which nothing came back counts as the most that it can have cost.
    may_be_paid = fault in ("reset", "hang", "drip", "half_body")
    assert (answer.output_tokens >= 600) == may_be_paid


def test_a_repair_is_asked_once_with_the_answer_and_the_error(server):
    before = len(server.calls)
    assert ask(server, "repair FAULT schema once").error is None
    first, second = server.calls[before:]
    assert (first["is_repair"], second["is_repair"]) == (False, True)
    assert [m["role"] for m in second["messages"]] == ["system", "user", "assistant", "user"]
    assert second["messages"][2]["content"].startswith('{"opinion"')
    assert "verdict: Field required" in second["messages"][3]["content"]


def test_a_fence_of_markdown_and_thoughts_are_no_fault(server):
    assert ask(server, "FAULT fenced always").value.verdict == "yes"


def test_a_server_without_schemas_gets_them_in_the_prompt(server):
    before = len(server.calls)
    assert ask(server, "no schema", json_schema=False).value.verdict == "yes"
    (call,) = server.calls[before:]
    assert "response_format" not in call["parameters"]
    assert '"is_against"' in call["messages"][0]["content"]


def test_requests_are_greedy_and_seeded_and_carry_what_the_profile_adds(server):
    before = len(server.calls)
    ask(server, "parameters", extra={"reasoning_effort": "low"}, limit_name="max_completion_tokens")
    parameters = server.calls[before]["parameters"]
    assert (parameters["temperature"], parameters["seed"]) == (0, 7)
    assert (parameters["reasoning_effort"], parameters["max_completion_tokens"]) == ("low", 600)
    assert parameters["response_format"]["json_schema"]["strict"] is True
    ask(server, "no temperature", temperature=None, seed=None)
    assert not {"temperature", "seed"} & set(server.calls[-1]["parameters"])


def test_tokens_that_a_server_does_not_count_are_taken_for_the_most_there_can_be(server):
    counted = ask(server, "FAULT no_usage alway")
    answer = ask(server, "FAULT no_usage always")
    assert answer.error is None
    assert answer.input_tokens > counted.input_tokens
    assert answer.output_tokens == 600


def test_a_huge_answer_is_never_read_whole(server):
    answer = ask(server, "bounded FAULT huge always", timeout_seconds=20)
    assert answer.error.startswith("too large: ")
    time.sleep(0.2)
    sent = server.sent_of_huge()
    assert 0 < sent < HUGE_BYTES / 4


def test_a_compressed_bomb_counts_decompressed(tmp_path):
    import gzip
    import http.server

    body = gzip.compress(b'{"choices": "' + b"x" * 50_000_000 + b'"}')

    class Bomb(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bomb) as bomb:
        threading.Thread(target=bomb.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{bomb.server_address[1]}/v1"
        (answer,) = ask_chat([request("bomb")], endpoint(url))
        bomb.shutdown()
    assert answer.error.startswith("too large: ")


def test_the_deadline_of_a_call_ends_its_attempts(server):
    assert ask(server, "all is well", model="deadline").error is None
    started = time.monotonic()
    parameters = {"timeout_seconds": 10, "deadline_seconds": 0.6, "attempts": 20}
    answer = ask(server, "deadline FAULT hang always", model="deadline", **parameters)
    assert answer.error.startswith("timed out: ")
    assert time.monotonic() - started < 30


def test_the_wait_that_a_server_asks_for_is_kept(tmp_path):
    with fault_server(tmp_path, retry_after="1") as slow:
        started = time.monotonic()
        assert ask(slow, "FAULT 429 once").error is None
    assert time.monotonic() - started >= 1.0


# -- embeddings ----------------------------------------------------------------------------------


def test_an_embedding_is_a_list_of_numbers_one_text_a_request(server):
    before = len(server.calls)
    texts = [("a", "good coffee"), ("b", "bad tea"), ("c", "good coffee")]
    first, second, third = ask_embeddings(texts, endpoint(server, dimensions=64))
    assert first.value == third.value != second.value
    assert len(first.value) == 64 and first.input_tokens > 0 and first.output_tokens == 0
    assert len(server.calls) - before == 3


def test_wrong_dimensions_are_a_setting(server):
    with pytest.raises(UserError, match=r"64.*384"):
        ask_embeddings([("a", "x")], endpoint(server, dimensions=384))


def test_an_embedding_that_fails_has_a_reason(server):
    answers = ask_embeddings(
        [("a", "fine"), ("b", "FAULT 500 always")], endpoint(server, model="embedder")
    )
    assert answers[0].error is None
    assert answers[1].value is None and answers[1].error.startswith("server error: ")


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["message", "content", "refusal", "finish_reason", "embedding"]), inner
        )
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(content=JSON, usage=JSON)
def test_whatever_a_server_sends_is_an_answer_or_a_failure(content, usage):
    reply = {"choices": content, "data": content, "usage": usage}
    for read in (calls._text_of, lambda reply: calls._embedding_of(reply, None)):
        with contextlib.suppress(Failure):
            assert read(reply)
    tokens = calls._tokens_of(reply, (5, 7))
    assert all(isinstance(count, int) and count >= 0 for count in tokens)


def test_a_request_that_cannot_be_written_is_its_own_failure(server):
    broken, fine = ask_embeddings([("a", "half a pair \ud800"), ("b", "x")], endpoint(server))
    assert broken.error.startswith("failed: UnicodeEncodeError")
    assert fine.error is None


# -- settings ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "named"),
    [
        ("401", "OPENAI_API_KEY"),
        ("403", "OPENAI_API_KEY"),
        ("404", "`model` or `base_url`"),
        ("quota", "OPENAI_API_KEY.*no credit"),
    ],
)
def test_what_is_wrong_for_every_request_is_raised_at_once(server, fault, named):
    before = len(server.calls)
    with pytest.raises(UserError, match=named) as raised:
        ask(server, f"FAULT {fault} always")
    assert KEY not in str(raised.value)
    assert len(server.calls) - before == 1


def test_an_endpoint_that_refuses_even_the_simplest_request_is_a_setting(tmp_path):
    with (
        fault_server(tmp_path, down_after=-1, down="400") as refusing,
        pytest.raises(UserError, match=r"refuses every request to model 'm'.*json_schema"),
    ):
        ask(refusing, "x")


def test_a_missing_key_is_named_before_anything_is_sent(server, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    before = len(server.calls)
    with pytest.raises(UserError, match=r"OPENAI_API_KEY is not set.*api_key_env: null"):
        ask(server, "x")
    assert len(server.calls) == before
    assert ask(server, "x", api_key_env=None).error is None


def test_a_key_with_a_line_break_inside_is_a_setting(server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-one\nsk-two")
    with pytest.raises(UserError, match="OPENAI_API_KEY: holds characters"):
        ask(server, "x")


def test_the_key_is_read_when_it_is_used(server, monkeypatch):
    shared = endpoint(server, model="rotating")
    for number in range(2):
        monkeypatch.setenv("OPENAI_API_KEY", f"sk-rotated-{number}")
        ask_chat([request(f"rotation {number}")], shared)
        assert server.calls[-1]["authorization"] == f"Bearer sk-rotated-{number}"


def test_no_other_key_of_the_environment_is_sent(server, monkeypatch):
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "sk-admin-123456")
    ask(server, "admin", api_key_env=None)
    assert server.calls[-1]["authorization"] == "Bearer none"


@pytest.mark.parametrize(
    "url",
    ["ftp://x/v1", "api.openai.com", "http://me:secret@host/v1", "https://host/v1?key=secret"],
)
def test_a_url_that_is_none_or_holds_a_secret_is_refused(url):
    with pytest.raises(ValidationError):
        Endpoint(backend="openai", model="m", base_url=url)


def test_identity_holds_what_an_answer_depends_on():
    plain = Endpoint(backend="openai", model="m")
    same = {"api_key_env": "OTHER", "in_flight": 3, "timeout_seconds": 9, "price": {"input": 1}}
    assert Endpoint(backend="openai", model="m", **same).identity() == plain.identity()
    for change in ({"seed": 8}, {"temperature": 0.5}, {"max_tokens": 7}, {"extra": {"a": 1}}):
        assert Endpoint(backend="openai", model="m", **change).identity() != plain.identity()


# -- the key -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault", ["echo", "escaped_echo", "refusal", "escaped_refusal", "500", "400", "429"]
)
def test_an_echoed_key_reaches_no_answer_and_no_error(server, fault):
    assert ask(server, "all is well", model="echo").error is None
    answer = ask(server, f"echo FAULT {fault} always", model="echo")
    assert KEY not in repr(answer)
    assert "***" in repr(answer)


def test_no_log_holds_the_key(server, caplog):
    with caplog.at_level(logging.DEBUG):
        for text in ("logged", "logged FAULT 500 once", "logged FAULT echo always"):
            ask(server, text)
    assert KEY not in caplog.text


def test_a_process_with_all_logs_on_writes_no_key(server):
    code = (
        "import logging; logging.basicConfig(level=0)\n"
        "from tests.test_endpoint import ask\n"
        "class S: base_url = __import__('sys').argv[1]\n"
        "for text in ('a', 'FAULT echo always', 'FAULT 400 always', 'FAULT 401 always'):\n"
        "    print(ask(S.base_url and S, text, model='logs'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, server.base_url],
        cwd=REPO,
        env={"OPENAI_API_KEY": KEY, "OPENAI_LOG": "debug", "PYTHONPATH": str(REPO)},
        capture_output=True,
        text=True,
    )
    assert "does not accept the key" in done.stderr
    assert done.stdout.count("Answer(") == 3
    assert KEY not in done.stdout + done.stderr


# -- many requests -------------------------------------------------------------------------------


def test_every_answer_is_handed_out_once_in_order_and_each_request_is_paid_once(tmp_path):
    faults = {"f429": 0.06, "f500": 0.06, "half": 0.05, "schema": 0.05, "reset": 0.05}
    faults |= {"refusal": 0.04, "empty": 0.04, "length": 0.04, "hang": 0.03, "huge": 0.02}
    handed: list[tuple[str, Answer]] = []
    requests = [request(f"number {n}", key=str(n)) for n in range(200)]
    with fault_server(tmp_path, **faults) as faulty:
        shared = endpoint(faulty, in_flight=16, timeout_seconds=3.0)
        answers = ask_chat(requests, shared, lambda key, answer: handed.append((key, answer)))
        seen, paid, peak = faulty.calls, faulty.paid, faulty.peak_in_flight
    assert len(answers) == 200
    assert sorted(handed) == sorted((str(n), answer) for n, answer in enumerate(answers))
    assert {answer.error is None for answer in answers} == {True, False}
    reasons = {answer.error.split(":")[0] for answer in answers if answer.error}
    assert {"rate limited", "server error", "off schema", "refused", "timed out"} <= reasons
    assert reasons <= set(REASONS)
    assert set(paid.values()) == {1}
    assert peak <= 17
    # Each call's attempts are what the server saw.
    assert sum(answer.attempts for answer in answers) == len(seen)


def test_answers_do_not_depend_on_company_or_order(server):
    requests = [request(f"company {n} FAULT schema once", key=str(n)) for n in range(12)]
    together = ask_chat(requests, endpoint(server, in_flight=7))
    backwards = ask_chat(requests[::-1], endpoint(server, in_flight=2))[::-1]
    alone = [ask_chat([one], endpoint(server))[0] for one in requests]
    values = [[answer.value for answer in answers] for answers in (together, backwards, alone)]
    assert values[0] == values[1] == values[2]


def test_a_photo_is_made_when_its_request_is_sent(server):
    """So no more are in memory than are in flight, and the others need not wait for it."""
    made, most, threads = [], [0], set()
    handed: dict[str, Answer] = {}

    def photo(name: str) -> str:
        made.append(name)
        most[0] = max(most[0], len(made) - len(handed))
        threads.add(threading.current_thread().name)
        if name == "broken":
            raise PhotoError("the file is no readable photo")
        return f"data:image/jpeg;base64,{name}"

    asked = [
        photo_request(
            name, "photo_support", partial(photo, name), claim="It is old.", caption=f"Old {name}"
        )
        for name in ("broken", *map(str, range(30)))
    ]
    before = len(server.calls)
    broken, *others = ask_chat(asked, endpoint(server, in_flight=3), handed.__setitem__)
    assert (broken.error, broken.attempts) == ("photo: the file is no readable photo", 0)
    assert {answer.error for answer in others} == {None}
    assert sorted(made) == sorted(request.key for request in asked) == sorted(handed)
    assert 1 < most[0] <= 3
    assert "endpoints" not in threads
    sent = [call["messages"][-1]["content"][-1]["image_url"] for call in server.calls[before:]]
    assert {image["url"].partition(",")[2] for image in sent} == set(map(str, range(30)))


def test_threads_share_the_limit_of_an_endpoint(tmp_path):
    with fault_server(tmp_path, latency=0.05) as slow:
        shared = endpoint(slow, in_flight=5)
        batches = [[request(f"{b} {n}") for n in range(15)] for b in range(4)]
        threads = [threading.Thread(target=ask_chat, args=(b, shared)) for b in batches]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(slow.calls) == 60
        assert slow.peak_in_flight == 5


def test_an_error_of_the_journal_stops_the_batch(server):
    def full(key: str, answer: Answer) -> None:
        raise OSError(28, "no space left")

    before = len(server.calls)
    with pytest.raises(OSError, match="no space left"):
        ask_chat([request(f"full {n}") for n in range(50)], endpoint(server), full)
    assert len(server.calls) - before <= 8


# -- an endpoint that is down --------------------------------------------------------------------


def test_a_server_that_is_not_there_is_named_at_once():
    started = time.monotonic()
    with pytest.raises(EndpointDown, match=r"http://127.0.0.1:9/v1.*start it") as raised:
        ask_chat([request(str(n)) for n in range(50)], endpoint("http://127.0.0.1:9/v1"))
    assert "kept" in str(raised.value)
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("down", ["hang", "500", "429", "reset", "html"])
def test_a_server_that_goes_down_keeps_what_was_answered(tmp_path, down):
    handed: dict[str, Answer] = {}
    requests = [request(str(n), key=str(n)) for n in range(300)]
    with fault_server(tmp_path, down_after=40, down=down) as failing:
        shared = endpoint(failing, timeout_seconds=0.3)
        started = time.monotonic()
        with pytest.raises(EndpointDown):
            ask_chat(requests, shared, handed.__setitem__)
        assert time.monotonic() - started < 20
        assert len(handed) == len(failing.paid) == 40 or down == "html"
        # The whole process knows it for a while.
        before = len(failing.calls)
        with pytest.raises(EndpointDown):
            ask_chat(requests, shared, handed.__setitem__)
        assert len(failing.calls) == before
    assert all(answer.error is None for answer in handed.values())


def test_a_server_that_dies_keeps_what_was_answered(tmp_path):
    handed: dict[str, Answer] = {}

    def hand_out(key: str, answer: Answer) -> None:
        handed[key] = answer
        if len(handed) == 30:
            dying.stop()

    with fault_server(tmp_path) as dying:
        with pytest.raises(EndpointDown, match="connection"):
            ask_chat([request(str(n), key=str(n)) for n in range(100)], endpoint(dying), hand_out)
        assert 30 <= len(handed) <= 34
        assert all(answer.error is None for answer in handed.values())


def test_lasting_faults_alone_do_not_look_like_an_endpoint_that_is_down(server):
    requests = [request(f"{n} FAULT 500 always", key=str(n)) for n in range(40)]
    answers = ask_chat(requests, endpoint(server, model="faulty"))
    assert {answer.error.split(":")[0] for answer in answers} == {"server error"}


def test_ctrl_c_sends_nothing_more(tmp_path):
    code = (
        "import sys, time\n"
        "from tests.test_endpoint import ask_chat, endpoint, request\n"
        "requests = [request(str(n), key=str(n)) for n in range(1000)]\n"
        "try:\n"
        "    ask_chat(requests, endpoint(sys.argv[1]), lambda key, _: print(key, flush=True))\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', flush=True)\n"
        "    time.sleep(1)\n"
    )
    with fault_server(tmp_path, latency=0.1) as slow:
        asking = subprocess.Popen(
            [sys.executable, "-c", code, slow.base_url],
            cwd=REPO,
            stdout=subprocess.PIPE,
            text=True,
        )
        while len(slow.calls) < 10:
            time.sleep(0.05)
        asking.send_signal(2)
        output, _ = asking.communicate(timeout=20)
        answered = output.split()
        assert answered[-1] == "interrupted"
        # What was in flight, and what went out while the signal was on its way through a busy
        # machine; of the thousand, hundreds would have gone out in the second after it.
        assert len(answered) - 1 <= len(slow.calls) <= len(answered) + 40


# -- the budget ----------------------------------------------------------------------------------


def test_the_limit_is_never_passed_and_what_was_paid_is_handed_out(tmp_path):
    price = {"input": 10.0, "output": 30.0}
    with fault_server(tmp_path, f500=0.1, schema=0.1) as server:
        shared = endpoint(server, price=price, in_flight=8)
        requests = [request(f"paid {n}", key=str(n)) for n in range(60)]
        total = sum(answer.cost for answer in ask_chat(requests, shared))
        limit = CostLimit(total / 2, "dollars")
        handed: dict[str, Answer] = {}
        written: list[Usage] = []
        budget = Budget(limit, Usage(cost=total / 8), written.append)
        with pytest.raises(BudgetSpent, match=r"HETERQA_MAX_COST: spent .* run again"):
            ask_chat(requests, shared, handed.__setitem__, budget)
        paid = sum(usage.cost for usage in written)
        assert sum(answer.cost for answer in handed.values()) <= paid + 1e-9
        assert budget.spent == pytest.approx(total / 8 + paid)
        assert budget.spent <= limit.amount
        # It stops for the next request, not long before it: the first ones are not the dear ones.
        assert budget.spent > limit.amount - 2 * 600 * 30 / 1e6
        # Raised, the rest is asked, and nothing twice.
        left = [one for one in requests if one.key not in handed]
        more = Budget(CostLimit(total * 2, "dollars"), Usage(cost=budget.spent))
        assert len(ask_chat(left, shared, budget=more)) == len(left) < 60


def test_tokens_are_a_limit_too(server):
    spent = ask(server, "tokens")
    used = spent.input_tokens + spent.output_tokens
    budget = Budget(CostLimit(used * 3 + 4000, "tokens"))
    with pytest.raises(BudgetSpent, match=r"spent [\d,]+ tokens of [\d,]+ tokens"):
        ask_chat([request(f"tokens {n}") for n in range(60)], endpoint(server), budget=budget)
    assert used <= budget.spent <= used * 3 + 4000


@pytest.mark.parametrize("fault", ["schema", "hang"])
def test_a_call_that_the_limit_cuts_off_has_no_answer_and_counts(tmp_path, fault):
    """The first reply is off schema and paid, and the repair would pass the limit; or the first
    attempt timed out, and the other request meets the limit while this one waits."""
    handed: dict[str, Answer] = {}
    written: list[Usage] = []
    asked = [request(f"{name} FAULT {fault} once", key=name) for name in ("one", "two")]
    with fault_server(tmp_path) as server:
        parameters = {"price": {"input": 1.0, "output": 1.0}, "timeout_seconds": 0.5}
        shared = endpoint(server, back_off_seconds=5, attempts=2, **parameters)
        assert ask(server, "all is well", **parameters).error is None
        most = sum(calls.most_tokens(calls.chat_job(asked[0], shared).body, shared)) / 1e6
        budget = Budget(CostLimit(most, "dollars"), record=written.append)
        with pytest.raises(BudgetSpent):
            ask_chat(asked, shared, handed.__setitem__, budget)
        assert handed == {}
        assert 0 < sum(usage.cost for usage in written) == pytest.approx(budget.spent)
        # With the limit raised.
        assert {answer.error for answer in ask_chat(asked, endpoint(server))} == {None}


def test_a_key_that_is_refused_meanwhile_leaves_no_answer(tmp_path):
    """The repair of a paid reply meets 401: the request is asked again once the key is right."""
    handed: dict[str, Answer] = {}
    written: list[Usage] = []
    with fault_server(tmp_path, down_after=1, down="401") as server:
        budget = Budget(record=written.append)
        with pytest.raises(UserError, match="OPENAI_API_KEY"):
            ask_chat([request("FAULT schema once")], endpoint(server), handed.__setitem__, budget)
    assert handed == {}
    assert sum(usage.input_tokens for usage in written) > 100


@pytest.mark.parametrize("fault", ["hang", "500"])
def test_what_an_endpoint_took_before_it_went_down_is_written_down(tmp_path, fault):
    written: list[Usage] = []
    with fault_server(tmp_path, down_after=5, down=fault) as failing:
        shared = endpoint(failing, timeout_seconds=0.3)
        requests = [request(str(n), key=str(n)) for n in range(100)]
        handed: dict[str, Answer] = {}
        with pytest.raises(EndpointDown):
            ask_chat(requests, shared, handed.__setitem__, Budget(record=written.append))
    paid = sum(usage.output_tokens for usage in written)
    answered = sum(answer.output_tokens for answer in handed.values())
    # A request that timed out may have been worked on; one with an error was not.
    assert paid >= answered + 600 if fault == "hang" else paid == answered


def test_vectors_of_another_length_were_paid(server):
    written: list[Usage] = []
    with pytest.raises(UserError, match="dimensions"):
        budget = Budget(record=written.append)
        ask_embeddings([("a", "x")], endpoint(server, dimensions=384), budget=budget)
    assert sum(usage.input_tokens for usage in written) > 0


# -- waiting -------------------------------------------------------------------------------------


def test_retry_after_in_seconds_milliseconds_and_dates():
    assert retry_after({"retry-after": "7"}) == 7
    assert retry_after({"retry-after": "0.5"}) == 0.5
    assert retry_after({"retry-after-ms": "250", "retry-after": "7"}) == 0.25
    date = datetime.now(UTC) + timedelta(seconds=30)
    assert retry_after({"retry-after": format_datetime(date, usegmt=True)}) == pytest.approx(
        30, abs=2
    )
    assert retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    for nothing in ({}, {"retry-after": "soon"}, {"retry-after": "inf"}, {"retry-after": "nan"}):
        assert retry_after(nothing) is None
    assert retry_after({"retry-after": "-3"}) == 0


def test_back_off_doubles_with_jitter_and_is_bounded():
    waits = [back_off(3, 0.5, None) for _ in range(200)]
    assert 1.0 <= min(waits) < max(waits) <= 2.0
    assert back_off(60, 0.5, None) <= 20
    assert back_off(1, 0.5, 3.0) >= 3.0
    assert back_off(1, 0.5, 1e9) <= MOST_RETRY_AFTER * 1.1


def test_the_client_is_not_imported_before_it_is_needed():
    code = "import sys, udfs.endpoint.requests; print({'openai', 'httpx2'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=REPO, capture_output=True, text=True)
    assert done.stdout.strip() == "set()"
