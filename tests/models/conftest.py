"""Macros as one query."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import pytest

from tests.support.render import render


@pytest.fixture(scope="module")
def query() -> Callable[..., Any]:
    """Renders a select list, runs it with parameters, returns its row, or its value if only one."""
    connection = duckdb.connect()
    rendered: dict[str, str] = {}

    def run(text: str, *parameters: Any) -> Any:
        sql = rendered.setdefault(text, f"select {render(text)}")
        row = connection.execute(sql, list(parameters)).fetchone()
        assert row is not None
        return row[0] if len(row) == 1 else row

    return run
