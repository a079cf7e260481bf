"""An endpoint that is down: named at once, and no answer is lost."""

from __future__ import annotations

import time

import pytest

from tests.support.fault_server import fault_server
from tests.support.quick_endpoint import endpoint, request
from udfs.contracts.answer import Answer
from udfs.contracts.usage import Usage
from udfs.endpoint.ask import ask_chat
from udfs.endpoint.budget import Budget
from udfs.endpoint.failures import EndpointDown


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
