"""Fixtures of the tests of encoders: tiny models, a photo, no network."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.support import tiny_models


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a tiny model, made once."""
    root = tmp_path_factory.mktemp("tiny models")
    made: dict[str, Path] = {}

    def make(name: str) -> Path:
        if name not in made:
            made[name] = getattr(tiny_models, name)(root / name)
        return made[name]

    return make


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a model in a folder needs no network")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture(scope="session")
def photo(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A photo in a file."""
    path = tmp_path_factory.mktemp("photo") / "photo.png"
    noise = np.random.default_rng(7).integers(0, 255, (40, 50, 3), dtype=np.uint8)
    Image.fromarray(noise).save(path)
    return path.read_bytes()
