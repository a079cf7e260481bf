"""The key: read when it is used, and written nowhere."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

from tests.support.quick_endpoint import KEY, ask, endpoint, request
from udfs.endpoint.ask import ask_chat
from udfs.warehouse.places import REPO


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
        "from tests.support.quick_endpoint import ask\n"
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
