"""compile_query: right rows, and no name or value ever leaves its place in the SQL."""

from __future__ import annotations

import json

import duckdb
import pytest
import sqlglot
import sqlglot.expressions as exp
from hypothesis import given
from hypothesis import strategies as st
from sqlglot.dialects.dialect import Dialect

from udfs.queries.compile import compile_query

HOSTILE = [
    "o'clock",
    "'; drop table sources.records; --",
    '"; drop table sources.records; --',
    '"quoted"',
    "/* comment */",
    "-- comment",
    "100%",
    "a_b%c",
    "{{ jinja }}",
    "$1 ?",
    "back\\slash\\'",
    "Café Ünïcode 寿司 🍣",
    "\u202eright to left",
    "line\nbreak\ttab",
    "x" * 10_000,
    "select",
    " ",
]


@pytest.fixture
def records() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("create schema sources")
    connection.execute(
        """
        create table sources.records as
        select * from (values
            ('r3', 4.5::double, ['Cafes', 'Food'], 'true', '2'),
            ('r1', 3.0, ['Food'], 'true', '10'),
            ('r2', null, ['Bars', 'Cafes'], null, 'cheap'),
            ('r4', 4.0, null, 'false', null)
        ) as rows(record_id, stars, categories, good_for_kids, price)
        """
    )
    return connection


def spec(*conditions: tuple[str, str, object]) -> str:
    return json.dumps(
        [{"field": f, "operator": o, "value": v} for f, o, v in conditions], ensure_ascii=False
    )


def ids(connection: duckdb.DuckDBPyConnection, *conditions: tuple[str, str, object]) -> list[str]:
    return [row[0] for row in connection.execute(compile_query(spec(*conditions))).fetchall()]


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ([], ["r1", "r2", "r3", "r4"]),
        ([("categories", "contains", "Cafes")], ["r2", "r3"]),
        ([("categories", "contains", "cafes")], []),
        ([("good_for_kids", "=", "true")], ["r1", "r3"]),
        ([("good_for_kids", "=", True)], ["r1", "r3"]),
        ([("stars", ">=", "4")], ["r3", "r4"]),
        ([("stars", ">=", 4.5)], ["r3"]),
        ([("stars", "=", "4.0")], ["r4"]),
        ([("price", "<=", "2")], ["r3"]),  # as numbers: '10' is more, 'cheap' is none
        ([("stars", ">=", "-1e3")], ["r1", "r3", "r4"]),
        ([("categories", "contains", "Cafes"), ("good_for_kids", "=", "true")], ["r3"]),
    ],
)
def test_conditions_select_the_records_that_meet_them(records, conditions, expected):
    assert ids(records, *conditions) == expected


def test_the_text_reads_like_sql():
    conditions = [("categories", "contains", "Food"), ("stars", ">=", "4"), ("wifi", "=", "free")]
    assert compile_query(spec(*conditions)) == (
        "SELECT\n  record_id\nFROM sources.records\nWHERE\n"
        "  ARRAY_CONTAINS(\"categories\", 'Food')\n"
        '  AND TRY_CAST("stars" AS DOUBLE) >= 4.0\n'
        "  AND CAST(\"wifi\" AS TEXT) = 'free'\n"
        "ORDER BY\n  record_id"
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_value_is_a_value(records, text):
    records.execute("insert into sources.records values ('r0', 1, [$t], $t, $t)", {"t": text})
    assert ids(records, ("categories", "contains", text)) == ["r0"]
    assert ids(records, ("good_for_kids", "=", text)) == ["r0"]
    with pytest.raises(ValueError):
        compile_query(spec(("stars", ">=", text)))
    assert records.execute("select count(*) from sources.records").fetchone() == (5,)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_field_is_an_identifier(records, name):
    with pytest.raises(duckdb.BinderException):
        ids(records, (name, "=", "true"))
    quoted = name.replace('"', '""')
    records.execute(f'alter table sources.records add column "{quoted}" varchar default $$yes$$')
    assert ids(records, (name, "=", "yes")) == ["r1", "r2", "r3", "r4"]


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_any_text_comes_back_as_it_went_in(text):
    connection = duckdb.connect()
    connection.execute("create schema sources")
    connection.execute("create table sources.records (record_id varchar, field varchar)")
    connection.execute(
        "insert into sources.records values ('a', $t), ('b', $t || 'x')", {"t": text}
    )
    assert ids(connection, ("field", "=", text)) == ["a"]


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "no json",
        "{}",
        "null",
        spec(("stars", "like", "4")),
        spec(("stars", "or 1=1 --", "4")),
        spec(("", "=", "4")),
        spec(("stars", ">=", "four")),
        spec(("stars", ">=", "nan")),
        spec(("stars", ">=", "inf")),
        spec(("stars", ">=", None)),
        spec(("stars", "=", ["4"])),
        spec(("stars", "=", "a\0b")),
        spec(("st\0ars", "=", "a")),
        '[{"field": "stars", "operator": "=", "value": "4", "extra": 1}]',
        '[{"field": "stars", "operator": "="}]',
    ],
)
def test_what_is_no_condition_is_refused(wrong):
    with pytest.raises(ValueError):
        compile_query(wrong)


# The other two are languages of their own, which sqlglot reads and does not write.
@pytest.mark.parametrize("dialect", sorted(set(Dialect.classes) - {"", "dax", "prql"}))
def test_every_dialect_reads_back_what_was_asked(dialect):
    """In BigQuery a dot parts names, whatever quotes them."""
    for text in HOSTILE:
        field = text.replace(".", "") if dialect == "bigquery" else text
        sql = compile_query(spec(("categories", "contains", text), (field, "=", "no")), dialect)
        (query,) = sqlglot.parse(sql, read=dialect)
        assert text in {literal.this for literal in query.find_all(exp.Literal)}
        assert field in {name.this for name in query.find_all(exp.Identifier)}


def test_a_dialect_writes_its_own_words():
    conditions = [("categories", "contains", "It's"), ("stars", ">=", "4")]
    assert "ARRAY_CONTAINS(`categories`, 'It\\'s')" in compile_query(spec(*conditions), "spark")
    assert "SAFE_CAST(`stars` AS FLOAT64)" in compile_query(spec(*conditions), "bigquery")
    for wrong in ("", "ducksql"):
        with pytest.raises(ValueError, match="sqlglot knows no dialect"):
            compile_query(spec(*conditions), wrong)
