"""What test files of this folder share: the first build of the small repository, a project."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.resumable_project import Project, resumable_project
from tests.support.small_repo import SmallRepo


@pytest.fixture(scope="session")
def built(small_repo: SmallRepo) -> subprocess.CompletedProcess[str]:
    """The first build of the small repository."""
    result = small_repo.build()
    assert result.returncode == 0, result.stdout + result.stderr
    return result


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    return resumable_project(tmp_path, monkeypatch)
