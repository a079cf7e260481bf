"""One request and its answer: the reasons of failures, the repair, the bounds."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.fault_server import HUGE_BYTES
from tests.support.quick_endpoint import ask, endpoint, request
from udfs.contracts.answer import REASONS
from udfs.endpoint.ask import ask_chat
from udfs.endpoint.failures import Failure
from udfs.endpoint.replies import embedding_of, text_of, tokens_of
from udfs.warehouse.places import REPO


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


@given(content=JSON, usage=JSON)
def test_whatever_a_server_sends_is_an_answer_or_a_failure(content, usage):
    reply = {"choices": content, "data": content, "usage": usage}
    for read in (text_of, lambda reply: embedding_of(reply, None)):
        with contextlib.suppress(Failure):
            assert read(reply)
    tokens = tokens_of(reply, (5, 7))
    assert all(isinstance(count, int) and count >= 0 for count in tokens)


def test_the_client_is_not_imported_before_it_is_needed():
    code = "import sys, udfs.endpoint.ask; print({'openai', 'httpx2'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=REPO, capture_output=True, text=True)
    assert done.stdout.strip() == "set()"
