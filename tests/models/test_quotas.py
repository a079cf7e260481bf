"""Quotas of a user's own: how they are read, what is refused, and the slots that come of them."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from tests.support.render import render_model
from tests.support.staging import input_problems, stage_written
from udfs.warehouse.collection import written_files
from udfs.warehouse.errors import UserError
from udfs.warehouse.settings import Settings


def staged(tmp_path: Path, text: str) -> duckdb.DuckDBPyConnection:
    """The tables of staging with a file of quotas that holds this text."""
    path = tmp_path / "quotas.csv"
    path.write_text(text, encoding="utf-8")
    return stage_written(tmp_path, HETERQA_QUOTAS=str(path))


def slots(con: duckdb.DuckDBPyConnection, questions: str = "") -> list[tuple[str, int]]:
    sql = render_model("slots", {"HETERQA_QUESTIONS": questions})
    counted = f"select subset, count(*) from ({sql}) group by subset order by subset"
    return con.execute(counted).fetchall()


def test_counts_of_named_subsets(tmp_path: Path) -> None:
    con = staged(tmp_path, '\ufeffsubset, questions\nS+G,3\n\n"S+T,I", 2\n ,\nS+T,0\n')
    assert input_problems(con) == []
    quotas = con.execute("select subset, questions from stg_quotas order by line_number").fetchall()
    assert quotas == [("S+G", 3), ("S+T,I", 2), ("S+T", 0)]
    assert slots(con) == [("S+G", 3), ("S+T,I", 2)]
    assert slots(con, "50") == [("S+G", 30), ("S+T,I", 20)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "line 1: does not name subset and questions, and no column twice; the columns are"),
        ("S+T,3\n", "line 1: there is no column 'S+T'; the columns are subset, questions; repair"),
        ("subset\nS+T\n", "line 1: does not name subset and questions, and no column twice; "),
        (
            "subset,questions\nS+X,3\n",
            "line 2: 'S+X' is none of S+G S+I S+I,G S+I,P S+P S+P,G S+T",
        ),
        ("subset,questions\n,3\n", "line 2: '' is none of S+G "),
        (
            "subset,questions\nS+T,3\nS+T,4\n",
            "line 3: repeats the subset 'S+T' of line 2; keep one of them",
        ),
        (
            "subset,questions\nS+T,I,4\n",
            "line 2: has more values than the first line has columns; "
            "a value with a comma stands in quotes; repair or remove the line",
        ),
        ("subset,questions\nS+T\n", "line 2: '' is not a whole number of questions; "),
        ("subset,questions\nS+T,2.5\n", "line 2: '2.5' is not a whole number of questions; "),
        ("subset,questions\nS+T,-1\n", "line 2: '-1' is not a whole number of questions; "),
        ("subset,questions\nS+T,\n", "line 2: '' is not a whole number of questions; "),
        ("subset,questions\nS+T,9999999999\n", "line 2: '9999999999' is not a whole number of"),
        ("subset,questions\n", "comes to 0 questions; give 1 to 100,000"),
        ("subset,questions\nS+T,0\n", "comes to 0 questions; give 1 to 100,000"),
        ("subset,questions\nS+T,100001\n", "comes to 100001 questions; give 1 to 100,000"),
        ('subset,questions\n"S+T,2\n', "line 2: is not CSV ("),
    ],
)
def test_one_sentence_for_what_cannot_be_used(tmp_path: Path, text: str, reason: str) -> None:
    (said,) = input_problems(staged(tmp_path, text))
    separator = ", " if reason.startswith("line") else ": "
    assert said.startswith(f"{tmp_path}/quotas.csv{separator}{reason}")
    assert "\n" not in said


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    settings = Settings.from_env({"HETERQA_QUOTAS": str(tmp_path / "none.csv")})
    assert Settings.from_env(settings.to_env()) == settings
    with pytest.raises(UserError, match="HETERQA_QUOTAS: there is no file"):
        written_files(settings)


@pytest.mark.parametrize(
    ("quotas", "questions", "expected"),
    [
        ([], "8", [("S+I", 3), ("S+T", 5)]),
        ([], "", [("S+I", 38), ("S+T", 62)]),
        ([("S+T", 1), ("S+I", 3)], "4", [("S+I", 3), ("S+T", 1)]),
        ([("S+I", 3)], "3", [("S+I", 3)]),
        ([("S+I", 3)], "", [("S+I", 3)]),
        ([("S+T", 1), ("S+I", 3)], "6", [("S+I", 5), ("S+T", 1)]),
    ],
)
def test_slots(
    quotas: list[tuple[str, int]], questions: str, expected: list[tuple[str, int]]
) -> None:
    """Equal remainders go by subset, as with the paper's counts."""
    con = duckdb.connect()
    con.execute(
        "create table subset_quotas as select * from (values ('S+T', 5), ('S+I', 3)) "
        "as quotas (subset, questions)"
    )
    con.execute(
        "create table subset_sources as select * from (values ('S+T', 'text'), ('S+I', 'photo')) "
        "as needed (subset, source)"
    )
    con.execute("create table stg_quotas (subset varchar, questions integer)")
    for row in quotas:
        con.execute("insert into stg_quotas values ($1, $2)", row)
    assert slots(con, questions) == expected
