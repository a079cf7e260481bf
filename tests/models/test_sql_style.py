"""What sqlfluff cannot check in our SQL: trailing commas, and the line that states the grain."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from udfs.warehouse.places import REPO

MODELS = sorted((REPO / "models").rglob("*.sql"))
IDS = [path.stem for path in MODELS]


@pytest.mark.parametrize("path", MODELS, ids=IDS)
def test_the_first_line_states_the_grain(path: Path) -> None:
    first = path.read_text(encoding="utf-8").lstrip().splitlines()[0]
    assert first.startswith(("-- ", "{# ", "{#- ", "{{ config")), first


@pytest.mark.parametrize("path", MODELS, ids=IDS)
def test_the_last_column_has_its_comma(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, (line, following) in enumerate(pairwise(lines), start=1):
        is_last_column = re.match(r"\s+from\b", following) and not re.match(r"\s*select\b", line)
        if is_last_column and not line.strip().startswith(("--", "*", "from", "{")):
            indent = len(following) - len(following.lstrip())
            is_column = len(line) - len(line.lstrip()) == indent + 4
            assert not is_column or line.endswith(","), f"{path.name}:{number}: {line.strip()}"
