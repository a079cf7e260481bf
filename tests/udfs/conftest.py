"""Fixtures of the tests of SQL functions: required files, and a connection as a build has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.embedded import make_settings
from udfs.plugin import connect


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the required input files, in a folder whose name needs quoting in SQL."""
    folder = tmp_path_factory.mktemp("o'brien's data")
    for name in ("business", "review", "tip", "user"):
        (folder / f"yelp_academic_dataset_{name}.json").write_text("{}\n")
    (folder / "photos.json").write_text("{}\n")
    return folder


@pytest.fixture(scope="module")
def connection(collection, tmp_path_factory):
    return connect(":memory:", make_settings(collection, tmp_path_factory.mktemp("warehouse")))
