"""Settings that are wrong for every request, and what an answer depends on."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from tests.support.fault_server import fault_server
from tests.support.quick_endpoint import KEY, ask
from udfs.profiles.parameters import Endpoint
from udfs.warehouse.errors import UserError


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
