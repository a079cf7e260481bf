"""Fixtures that several test files share."""

from __future__ import annotations

import pytest

from tests.small_repo import SmallRepo, make_small_repo


@pytest.fixture(scope="session")
def small_repo(tmp_path_factory: pytest.TempPathFactory) -> SmallRepo:
    """A small repository that no test changes: its build is shared."""
    return make_small_repo(tmp_path_factory.mktemp("small_repo"))
