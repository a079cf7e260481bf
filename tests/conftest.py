"""Fixtures that several test files share."""

from __future__ import annotations

from pathlib import Path

import pytest

from sample_city import generate
from tests.support.builds import build
from tests.support.small_repo import SmallRepo, make_small_repo


@pytest.fixture(scope="session")
def small_repo(tmp_path_factory: pytest.TempPathFactory) -> SmallRepo:
    """A small repository that no test changes: its build is shared."""
    return make_small_repo(tmp_path_factory.mktemp("small_repo"))


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a small city: as few as give every kind of question and every kind of fault."""
    root = tmp_path_factory.mktemp("small_city")
    generate(root / "data", root / "truth", records=60, users=30, texts=400, photos=80)
    return root / "data"


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory: pytest.TempPathFactory, data: Path) -> Path:
    """A finished build of the small city, on two threads."""
    folder = tmp_path_factory.mktemp("warehouse")
    build(folder, data, HETERQA_THREADS="2", PYTHONHASHSEED="1")
    return folder
