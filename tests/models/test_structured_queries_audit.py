"""The audit that runs the compiled SQL of each attempt: it can fail, and it ends soon."""

from __future__ import annotations

import time

import duckdb
import pytest

from tests.support.render import REPO, render

AUDIT = (REPO / "tests" / "audits" / "construction_structured_queries.sql").read_text("utf-8")
STATES = 40


def warehouse(attempts: int, records: int) -> duckdb.DuckDBPyConnection:
    """Each attempt asks for one state; the seed record is the first one there."""
    con = duckdb.connect(config={"threads": 2})
    con.execute(
        "create table records as select 'r' || lpad(number::varchar, 5, '0') as record_id, "
        "'s' || number % ? as state, ['Food', 'Cafés'] as categories, 'true' as is_open "
        "from range(?) as numbers (number)",
        [STATES, records],
    )
    con.execute(
        "create table attempts as select 'a' || number as attempt_id, "
        "'r' || lpad((number % ?)::varchar, 5, '0') as seed_record_id, "
        "'s' || number % ? as state from range(?) as numbers (number)",
        [STATES, STATES, attempts],
    )
    con.execute("create table field_constraints as select attempt_id from attempts")
    con.execute(
        "create table structured_queries as select attempt_id, 'duckdb' as dialect, "
        "'SELECT record_id FROM records WHERE ARRAY_CONTAINS(\"categories\", ''Food'') AND "
        "CAST(\"is_open\" AS TEXT) = ''true'' AND CAST(\"state\" AS TEXT) = ''' || state || "
        "''' ORDER BY record_id' as sql from attempts"
    )
    con.execute(
        "create table initial_answers as select attempt_id, record_id "
        "from attempts inner join records using (state)"
    )
    return con


def findings(con: duckdb.DuckDBPyConnection) -> list[tuple[str, str, str]]:
    return con.execute(render(AUDIT, con=con)).fetchall()


def test_thousands_of_queries_take_seconds() -> None:
    con = warehouse(3428, 1400)
    # Of this process, whatever else the machine has to do.
    started = time.process_time()
    assert findings(con) == []
    assert time.process_time() - started < 30


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            "delete from initial_answers where (attempt_id, record_id) = ('a250', 'r00050')",
            [("only the query", "a250", "r00050")],
        ),
        (
            "insert into initial_answers values ('a0', 'r99999')",
            [("only initial_answers", "a0", "r99999")],
        ),
        (
            "update attempts set seed_record_id = 'r00001' where attempt_id = 'a0'",
            [("seed record", "a0", "r00001")],
        ),
        (
            "update structured_queries set sql = replace(sql, 's9', '') where attempt_id = 'a209'",
            [("only initial_answers", "a209", f"r000{number}") for number in ("09", "49")],
        ),
    ],
)  # fmt: skip
def test_a_difference_is_found(change: str, expected: list[tuple[str, str, str]]) -> None:
    con = warehouse(401, 80)
    con.execute("insert into attempts values ('a401', null, null)")
    assert findings(con) == []
    con.execute(change)
    assert sorted(findings(con)) == expected


def test_without_a_build_it_compiles() -> None:
    sql = render(AUDIT)
    con = duckdb.connect()
    con.execute("create table attempts (attempt_id varchar, seed_record_id varchar)")
    con.execute("create table field_constraints (attempt_id varchar)")
    con.execute("create table initial_answers (attempt_id varchar, record_id varchar)")
    assert con.execute(sql).fetchall() == []
