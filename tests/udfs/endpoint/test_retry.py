"""Requests that are sent again: how long they wait, and when they end."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from tests.support.fault_server import fault_server
from tests.support.quick_endpoint import ask
from udfs.endpoint.failures import retry_after
from udfs.endpoint.retry import MOST_RETRY_AFTER, back_off


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
