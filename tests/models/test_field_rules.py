"""The catalogue of a collection's fields: how its lines are completed, and what is refused."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from tests.support.staging import collection, input_problems, stage_written
from udfs.warehouse.collection import written_files
from udfs.warehouse.errors import UserError
from udfs.warehouse.settings import Settings

COLUMNS = "field,tier,weight,operator,value,probability,phrase,negation"


def catalogue(folder: Path, *lines: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "field_catalog.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def staged(tmp_path: Path, *lines: str) -> duckdb.DuckDBPyConnection:
    """The tables of staging with a catalogue of these lines."""
    return stage_written(tmp_path, HETERQA_FIELDS=str(catalogue(tmp_path, *lines)))


def test_lines_are_completed(tmp_path: Path) -> None:
    con = staged(
        tmp_path,
        COLUMNS,
        "*,,,,,,trail,",
        "dogs,high_value,1.2,,,,lets dogs run,",
        "length_km,core,,>=,,,is at least {value} km long,is under {value} km long",
        "surface,,,,Gravel,0.5,has gravel,",
        "surface,,,=,*,,is of {value},is not of {value}",
        'categories,,,,"Loop, long",,"is a ""loop""",',
        "",
        ",,,,,,,",
        "pool,supplementary,2",
    )
    assert input_problems(con) == []
    query = (
        "select field, tier, weight, operator, value, probability, phrase, negation, line_number"
        " from stg_field_rules order by line_number"
    )
    assert con.execute(query).fetchall() == [
        ("*", None, None, None, None, None, "trail", None, 2),
        ("dogs", "high_value", 1.2, "=", "true", 1, "lets dogs run", "does not let dogs run", 3),
        (
            *("length_km", "core", None, ">=", "*", 1),
            *("is at least {value} km long", "is under {value} km long", 4),
        ),
        ("surface", None, None, "=", "gravel", 0.5, "has gravel", "does not have gravel", 5),
        ("surface", None, None, "=", "*", 1, "is of {value}", "is not of {value}", 6),
        (
            *("categories", None, None, "contains", "Loop, long", 1),
            *('is a "loop"', 'is not a "loop"', 7),
        ),
        ("pool", "supplementary", 2, None, None, None, None, None, 10),
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_only_the_field_is_needed(end: str, tmp_path: Path) -> None:
    path = tmp_path / "field_catalog.csv"
    path.write_bytes(f"\ufefffield{end}zoë{end}".encode())
    con = stage_written(tmp_path, HETERQA_FIELDS=str(path))
    query = "select field, tier, value, line_number, fault from stg_field_rules"
    assert con.execute(query).fetchall() == [("zoë", None, None, 2, None)]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (",core", "line 2: has no field"),
        ("Length Km", "line 2: 'Length Km' is no field; write it as"),
        ("Ambience.casual", "line 2: 'Ambience.casual' is no field"),
        ("pool,main", "line 2: the tier 'main' is none of core, high_value, supplementary"),
        ("pool,core,heavy", "line 2: the weight 'heavy' is not a number above 0"),
        ("pool,core,-1", "line 2: the weight '-1' is not a number above 0"),
        ("pool,core,nan", "line 2: the weight 'nan' is not a number above 0"),
        ("pool,core,inf", "line 2: the weight 'inf' is not a number above 0"),
        ("pool,core,1,>", "line 2: the operator '>' is none of = >= <= contains"),
        ("size,core,1,>=,big", "line 2: 'big' is not a number, as >= needs"),
        ("size,core,1,<=,inf", "line 2: 'inf' is not a number, as <= needs"),
        ("pool,core,1,=,true,1.5", "line 2: the probability '1.5' is not a number above 0 and at"),
        ("pool,core,1,=,true,0", "line 2: the probability '0' is not a number above 0 and at"),
        ("pool,core,1,=,true,1,a pool", "line 2: the phrase 'a pool' has to complete"),
        ("pool,core,1,=,true,1,hasé a pool", "line 2: the phrase 'hasé a pool' has to complete"),
        ("pool,core,1,=,true,1,has a pool.", "line 2: the phrase 'has a pool.' has to complete"),
        ("pool,,,,,,has one,no pool", "line 2: the negation 'no pool' has to complete"),
        ("size,,,>=,,,is long", "line 2: the phrase 'is long' is for any value and lacks {value}"),
        (
            "size,,,>=,,,is {value} long,is short",
            "line 2: the negation 'is short' is for any value and lacks {value}",
        ),
        ("size,,,,,,is {value} or {more},", "line 2: the phrase 'is {value} or {more}' may hold"),
        ("pool,,,,,,,has none", "line 2: has a negation and no phrase"),
        ("*,,,,,,,", "line 2: has no phrase: the field * wants the word for a record"),
        ("pool,,,,,,,,more", "line 2: has more values than the first line has columns"),
        (
            "pool,core\npool,supplementary",
            "line 3: the tier of 'pool' is supplementary, and core in line 2; make them agree",
        ),
        (
            "pool,,1\npool,,2.5",
            "line 3: the weight of 'pool' is 2.5, and 1.0 in line 2; make them agree",
        ),
        ("pool,,,=,true\npool,,,=,True", "line 3: repeats line 2; keep one of them"),
        ("*,,,,,,trail\n*,,,,,,path", "line 3: the phrase of '*' is path, and trail in line 2"),
        ('pool,"cor', "line 2: is not CSV"),
        ('pool,"core" main', "line 2: is not CSV"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(line: str, sentence: str, tmp_path: Path) -> None:
    (said,) = input_problems(staged(tmp_path, COLUMNS, line))
    assert said.startswith(f"{tmp_path}/field_catalog.csv, {sentence}")
    assert said.endswith(("; repair or remove the line", "; make them agree", "; keep one of them"))


def test_all_lines_that_cannot_be_used_are_listed(tmp_path: Path) -> None:
    con = staged(tmp_path, COLUMNS, "pool,main", "dogs,core", ",core")
    assert [said.split(": ")[0] for said in input_problems(con)] == [
        f"{tmp_path}/field_catalog.csv, line {number}" for number in (2, 4)
    ]


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        ("name,tier", "there is no column 'name'; the columns are field, tier, weight"),
        ("field,teir", "there is no column 'teir'; the columns are field, tier, weight"),
        ("tier", "does not name field, and no column twice; the columns are field, tier, weight"),
        ("field,field", "does not name field, and no column twice; the columns are field, tier"),
        ("", "does not name field, and no column twice; the columns are field, tier, weight"),
    ],
)
def test_wrong_columns_are_named_and_nothing_else(
    header: str, sentence: str, tmp_path: Path
) -> None:
    lines = [header, "pool,main,heavy"] if header else []
    (said,) = input_problems(staged(tmp_path, *lines))
    assert said.startswith(f"{tmp_path}/field_catalog.csv, line 1: {sentence}")


def test_a_file_that_is_not_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "field_catalog.csv"
    path.write_bytes(b"field\ncaf\xe9\n")
    with pytest.raises(UserError, match=r"field_catalog\.csv, line 2: byte 4 is not UTF-8; save"):
        stage_written(tmp_path, HETERQA_FIELDS=str(path))


def test_where_the_catalogue_lies(tmp_path: Path) -> None:
    def fields(**settings: str) -> list[str]:
        con = stage_written(tmp_path, **settings)
        return [field for (field,) in con.execute("select field from stg_field_rules").fetchall()]

    assert fields() == []
    catalogue(collection(tmp_path / "data"), "field", "beside")
    assert fields() == ["beside"]

    # DuckDB would read the brackets as a pattern, and find the other folder.
    catalogue(tmp_path / "ours1", "field", "other")
    named = str(catalogue(tmp_path / "ours[1]", "field", "named"))
    assert fields(HETERQA_FIELDS=named) == ["named"]

    Path(named).unlink()
    settings = Settings.from_env({"HETERQA_FIELDS": named})
    assert Settings.from_env(settings.to_env()) == settings
    with pytest.raises(UserError, match="HETERQA_FIELDS: there is no file"):
        written_files(settings)
