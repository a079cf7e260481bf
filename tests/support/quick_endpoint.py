"""An endpoint that is asked in short times, and a request for it."""

from __future__ import annotations

from typing import Any

from tests.support.fault_server import FaultServer
from udfs.contracts.answer import Answer
from udfs.endpoint.ask import ask_chat
from udfs.endpoint.prompt import chat_request
from udfs.endpoint.requests import ChatRequest
from udfs.profiles.parameters import Endpoint

KEY = "sk-planted-0123456789abcdef"


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
