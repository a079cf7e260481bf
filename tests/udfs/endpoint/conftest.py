"""Fixtures of the tests of endpoints: a server with faults, and the key for it."""

from __future__ import annotations

import pytest

from tests.support.fault_server import fault_server
from tests.support.quick_endpoint import KEY


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory):
    with fault_server(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
