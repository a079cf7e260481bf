"""What people decided: which decision counts, and which lines of their files decide nothing."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

from tests.support.staging import input_problems, stage_written

FINE = '{"attempt_id": "a", "record_id": "r", "question": "q", "decision": "%s"}\n'


def staged(tmp_path: Path, **files: str) -> duckdb.DuckDBPyConnection:
    """The tables of staging with a file of decisions for each text."""
    folder = tmp_path / "warehouse" / "decisions"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return stage_written(tmp_path)


def test_last_decision_counts(tmp_path: Path) -> None:
    """A later line of any file wins, a blank decision decides nothing, wordings are kept apart."""
    decided = {"attempt_id": "a1", "record_id": "r1", "question": "Wo?", "decided_by": "Zoë"}
    first = [
        decided | {"decision": "keep", "decided_at": "2026-01-01T10:00:00"},
        decided | {"decision": "remove", "decided_at": "2026-01-02T10:00:00"},
        decided | {"decision": "", "decided_at": "2026-01-03T10:00:00"},
        decided | {"decided_at": "2026-01-03T10:00:00"},
    ]
    second = [
        decided | {"decision": "keep", "decided_at": "2026-01-01T11:00:00"},
        decided | {"question": "Wer?", "decision": "keep", "decided_at": "2026-01-01T10:00:00"},
    ]
    con = staged(
        tmp_path,
        **{
            name: "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            for name, lines in (("a", first), ("b", second))
        },
    )
    assert input_problems(con) == []
    decisions = con.execute("select question, decision from stg_decisions order by all").fetchall()
    assert decisions == [("Wer?", "keep"), ("Wo?", "remove")]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("keep", "is not JSON"),
        ("\ufeff{}", "is not JSON"),
        ('["keep"]', "is not a JSON object"),
        ('{"attempt_id": "a", "record_id": "r", "decision": "keep"}', "has no question"),
        (
            '{"attempt_id": "a", "record_id": "r", "question": ["q"], "decision": "keep"}',
            "has a question that is no string",
        ),
        (
            '{"attempt_id": "a", "record_id": "r", "question": "q", "decision": "yes"}',
            "the decision 'yes' is neither 'keep' nor 'remove'",
        ),
    ],
)
def test_a_line_that_decides_nothing_is_named(line: str, fault: str, tmp_path: Path) -> None:
    """Lines are numbered in each file by itself, blank ones counted."""
    text = FINE % "keep" + "\n" + line
    con = staged(tmp_path, adam=FINE % "keep" * 4, zoë=text, zz=FINE % "remove")
    file = tmp_path / "warehouse" / "decisions" / "zoë.jsonl"
    assert input_problems(con) == [f"{file}, line 3: {fault}; repair or remove the line"]


def test_no_file_and_an_empty_one_decide_nothing(tmp_path: Path) -> None:
    for files in ({}, {"one": ""}, {"one": "", "two": FINE % ""}):
        con = staged(tmp_path, **files)
        assert input_problems(con) == []
        assert con.execute("from stg_decisions").fetchall() == []
