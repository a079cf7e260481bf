"""Quotas of a user's own: how they are read, what is refused, and the slots that come of them."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

from tests.support.render import render_model
from udfs.plugin import set_variables
from udfs.warehouse.errors import UserError
from udfs.warehouse.quotas import read_quotas
from udfs.warehouse.settings import Settings


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "quotas.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_counts_of_named_subsets(tmp_path: Path) -> None:
    path = written(tmp_path, '\ufeffsubset, questions\nS+G,3\n\n"S+T,I", 2\nS+T,0\n')
    assert read_quotas(path) == {"S+G": 3, "S+T,I": 2, "S+T": 0}
    environ = {"HETERQA_QUOTAS": str(path)}
    assert Settings.from_env(environ).questions == 5
    assert Settings.from_env(environ | {"HETERQA_QUESTIONS": "50"}).questions == 50
    assert Settings.from_env(Settings.from_env(environ).to_env()) == Settings.from_env(environ)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "line 1: is not `subset,questions`; repair the line"),
        ("S+T,3\n", "line 1: is not `subset,questions`; repair the line"),
        ("subset,questions\nS+X,3\n", "line 2: 'S+X' is none of S+T S+I S+P S+G "),
        ("subset,questions\nS+T,3\nS+T,4\n", "line 3: 'S+T' is there twice; "),
        ("subset,questions\nS+T,I,4\n", 'stands in quotes: "S+T,I",5); repair the line'),
        ("subset,questions\nS+T\n", "line 2: has 1 values instead of 2; "),
        ("subset,questions\nS+T,2.5\n", "line 2: '2.5' is not a whole number of questions; "),
        ("subset,questions\nS+T,-1\n", "line 2: '-1' is not a whole number of questions; "),
        ("subset,questions\nS+T,\n", "line 2: '' is not a whole number of questions; "),
        ("subset,questions\nS+T,0\n", "comes to 0 questions; give 1 to 100000"),
        ("subset,questions\nS+T,100001\n", "comes to 100001 questions; give 1 to 100000"),
        ('subset,questions\n"S+T,2\n', "cannot be read as a CSV ("),
    ],
)
def test_one_sentence_for_what_cannot_be_used(tmp_path: Path, text: str, reason: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(UserError) as error:
        Settings.from_env({"HETERQA_QUOTAS": str(path)})
    assert str(error.value).startswith(f"HETERQA_QUOTAS: {path}")
    assert reason in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="HETERQA_QUOTAS: there is no file"):
        Settings.from_env({"HETERQA_QUOTAS": str(tmp_path / "none.csv")})


@pytest.mark.parametrize(
    ("quotas", "questions", "slots"),
    [
        (None, 8, [("S+I", 3), ("S+T", 5)]),
        ({"S+T": 1, "S+I": 3}, 4, [("S+I", 3), ("S+T", 1)]),
        ({"S+I": 3}, 3, [("S+I", 3)]),
        ({"S+T": 1, "S+I": 3}, 6, [("S+I", 5), ("S+T", 1)]),
    ],
)
def test_slots(quotas: dict[str, int] | None, questions: int, slots: list[tuple[str, int]]) -> None:
    """Equal remainders go by subset, as with the paper's counts."""
    con = duckdb.connect()
    con.execute(
        "create table subset_quotas as select * from (values ('S+T', 'text', 5), "
        "('S+I', 'photo', 3)) as quotas (subset, sources, questions)"
    )
    if quotas is not None:
        set_variables(con, {"subset_quotas": json.dumps(quotas)})
    sql = render_model("slots", {"HETERQA_QUESTIONS": str(questions)})
    counted = f"select subset, count(*) from ({sql}) group by subset order by subset"
    assert con.execute(counted).fetchall() == slots
