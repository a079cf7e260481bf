"""Fixtures that several test files share, also over the workers of pytest-xdist."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings as hypothesis_settings

from sample_city import generate
from tests.support.builds import build
from tests.support.small_repo import SmallRepo, make_small_repo

# Examples of a property that has no number of its own. What it finds is in no database: a run does
# not depend on the runs before it.
hypothesis_settings.register_profile("quick", max_examples=40, deadline=None, database=None)
hypothesis_settings.register_profile("deep", max_examples=1000, deadline=None, database=None)
hypothesis_settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--reverse", action="store_true", help="run the tests in reverse order")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Whole builds first: short tests fill up the workers at the end."""
    builds = Path(__file__).parent / "builds"
    items.sort(key=lambda item: not item.path.is_relative_to(builds))
    if config.getoption("--reverse"):
        items.reverse()


Make = Callable[[Path], object]


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Callable[[str, Make], Path]:
    """Makes a folder that all workers share, by its name: the first to ask makes it, the others
    wait. No test may change what is in it."""
    root = tmp_path_factory.getbasetemp()
    root = root if worker_id == "master" else root.parent

    def make_once(name: str, make: Make) -> Path:
        folder, made = root / name, root / f"{name}.made"
        with FileLock(root / f"{name}.lock"):
            if not made.exists():
                # The half-made folder of a test run that was killed.
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make(folder)
                made.touch()
        return folder

    return make_once


@pytest.fixture(scope="session")
def small_repo(tmp_path_factory: pytest.TempPathFactory) -> SmallRepo:
    """A small repository that no test changes: its build is shared."""
    return make_small_repo(tmp_path_factory.mktemp("small_repo"))


@pytest.fixture(scope="session")
def data(once: Callable[[str, Make], Path]) -> Path:
    """The files of a small city: as few as give every kind of question and every kind of fault."""

    def make(root: Path) -> None:
        generate(root / "data", root / "truth", records=60, users=30, texts=400, photos=80)

    return once("small_city", make) / "data"


@pytest.fixture(scope="session")
def warehouse(once: Callable[[str, Make], Path], data: Path) -> Path:
    """A finished build of the small city, on two threads. A test that builds on takes a copy."""
    return once(
        "warehouse", lambda root: build(root, data, HETERQA_THREADS="2", PYTHONHASHSEED="1")
    )
