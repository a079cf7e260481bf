"""The first build of the small repository, which test files share."""

from __future__ import annotations

import subprocess

import pytest

from tests.support.small_repo import SmallRepo


@pytest.fixture(scope="session")
def built(small_repo: SmallRepo) -> subprocess.CompletedProcess[str]:
    """The first build of the small repository."""
    result = small_repo.build()
    assert result.returncode == 0, result.stdout + result.stderr
    return result
