"""Many requests at once: each is answered, handed out and paid once."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from functools import partial

import pytest

from tests.support.fault_server import fault_server
from tests.support.quick_endpoint import endpoint, request
from udfs.contracts.answer import REASONS, Answer
from udfs.endpoint.ask import ask_chat
from udfs.endpoint.photo import PhotoError
from udfs.endpoint.prompt import photo_request
from udfs.warehouse.places import REPO


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


def test_ctrl_c_sends_nothing_more(tmp_path):
    code = (
        "import sys, time\n"
        "from tests.support.quick_endpoint import ask_chat, endpoint, request\n"
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
