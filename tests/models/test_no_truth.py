"""No step but the audits of quality reads the planted truth, nor a table that does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.render import REPO

# The plugin points the inputs of the quality room at the truth; settings know where it lies.
_KNOW_WHERE = {"udfs/plugin.py", "udfs/warehouse/places.py", "udfs/warehouse/settings.py"}
_QUALITY = REPO / "models" / "quality"


def readers(repo: Path) -> dict[str, str]:
    """Files of the construction that name a truth file, or a table of the quality room."""
    quality = repo / "models" / "quality"
    tables = [path.stem for path in quality.rglob("*.sql")]
    of_quality = rf"ref\(\s*['\"](?:{'|'.join(tables)})['\"]|\bquality\.truth" if tables else r"$^"
    reads = re.compile(rf"truth[_/]|['\"]truth['\"]|/truth\b|{of_quality}")
    found = {}
    for folder in ("models", "macros", "udfs", "seeds", "dbt_project"):
        for path in sorted((repo / folder).rglob("*")):
            name = path.relative_to(repo).as_posix()
            if path.suffix not in (".sql", ".py", ".yml", ".csv") or name in _KNOW_WHERE:
                continue
            match = reads.search(path.read_text(encoding="utf-8"))
            if match and quality not in path.parents:
                found[name] = match.group()
    return found


def test_nothing_outside_quality_reads_the_truth() -> None:
    assert readers(REPO) == {}
    assert any("truth_" in path.read_text("utf-8") for path in _QUALITY.rglob("*.sql"))


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("macros/hint.sql", "{% macro hint() %}getvariable('build')['truth_fields']{% endmacro %}"),
        (
            "models/construction/peek.sql",
            "select * from read_json(getvariable('build')['truth_fields'])",
        ),
        ("models/construction/peek.sql", "select * from {{ ref('truth_audit') }}"),
        ("models/construction/peek.sql", "select * from quality.truth_fields"),
        ("udfs/rules/judge/evidence.py", "path = settings.warehouse / 'truth' / 'fields.jsonl'"),
    ],
)
def test_a_reader_is_found(tmp_path: Path, file: str, text: str) -> None:
    for folder in ("models/quality", "models/construction", "macros", "udfs"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "models/quality/truth_audit.sql").write_text(
        "select getvariable('build')['truth_fields']"
    )
    (tmp_path / "udfs/plugin.py").write_text("truth_fields")
    assert readers(tmp_path) == {}
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text(text)
    assert list(readers(tmp_path)) == [file]
