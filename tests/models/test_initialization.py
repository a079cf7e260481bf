"""F and A by sets of records: equal to what each record and each compiled query says by itself.

The records are those of a hostile collection, made here, and those of a folder of real ones where
that is at hand.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import duckdb
import pytest

from tests.support.initialization import BEFORE, INITIALIZE, build, load_records
from tests.support.render import REPO, render
from tests.support.staging import collection

HOSTILE = [
    "'; drop table sources.records; --",
    '"; drop table "sources"."records"; --',
    "O'Brien's \"Bar\"",
    "/* a comment",
    "a comment */ -- and more",
    "100% of $1 ?",
    "{{ jinja }} {% raw %}",
    "back\\slash\\'",
    "🍣 寿司 Ünïcode",
    "\u202eright to left",
    "]; select 1; [",
    "null",
]
LONG = "x" * 10_000
STAYS = REPO.parent / "shared" / "data" / "stays"
ATTEMPTS = 500
SLOTS = {"HETERQA_QUESTIONS": str(ATTEMPTS // 4)}
# Small blocks, so that a set spans several, the last of them not full.
SMALL = {"block_records": 100, "max_candidates": 5}


def hostile_records(count: int) -> Iterator[dict[str, object]]:
    """Records of which every name and value is hostile: ids, cities, categories, fields."""
    draw = random.Random(7)
    for number in range(count):
        texts = draw.sample(HOSTILE, 4)
        attributes = {f"{key} {key}": draw.choice(HOSTILE[:3]) for key in draw.sample(HOSTILE, 5)}
        attributes |= {f"flag {text}": draw.choice(["True", "False"]) for text in HOSTILE[:6]}
        kept = draw.sample(sorted(attributes), 6)
        yield {
            "business_id": f"{texts[0]}{number}",
            "name": LONG if number % 50 == 0 else texts[1],
            "address": texts[2],
            "city": draw.choice(HOSTILE[:4]),
            "state": draw.choice(HOSTILE[4:6]),
            "postal_code": "'",
            "latitude": 44.0,
            "longitude": -70.0,
            "stars": draw.choice([2.5, 3.5, 4.0, 4.5, None]),
            "review_count": 1,
            "is_open": 1,
            "categories": [*texts[2:], *([LONG] if number % 9 == 0 else [])],
            "attributes": {key: attributes[key] for key in kept}
            | {"long": draw.choice([LONG, f"{LONG}y"]), LONG: draw.choice(["True", "False"])},
        }


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> duckdb.DuckDBPyConnection:
    """F, A and all between of a hostile collection."""
    root = tmp_path_factory.mktemp("hostile")
    data = collection(root / "data", business=hostile_records(450))
    con = load_records(data, root / "warehouse", value_max_chars=20_000)
    build(con, (*BEFORE, *INITIALIZE), SLOTS, **SMALL)
    return con


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> duckdb.DuckDBPyConnection:
    """The same of real records."""
    if not STAYS.is_dir():
        pytest.skip("the stays collection is not beside the repository")
    con = load_records(STAYS, tmp_path_factory.mktemp("real"))
    build(con, (*BEFORE, *INITIALIZE), SLOTS, **SMALL)
    return con


@pytest.fixture(params=["hostile", "real"])
def con(request: pytest.FixtureRequest) -> duckdb.DuckDBPyConnection:
    """Each of the two."""
    found: duckdb.DuckDBPyConnection = request.getfixturevalue(request.param)
    return found


def test_compiled_queries_return_the_initial_answers(con: duckdb.DuckDBPyConnection) -> None:
    records = con.execute("from records order by record_id").fetchall()
    queries = con.execute("select attempt_id, sql from structured_queries").fetchall()
    assert len(queries) > ATTEMPTS * 0.9
    returned = {
        (attempt_id, record_id)
        for attempt_id, sql in queries
        for (record_id,) in con.execute(sql).fetchall()
    }
    assert returned == set(con.execute("from initial_answers").fetchall())
    assert {attempt_id for attempt_id, _ in returned} == {attempt_id for attempt_id, _ in queries}
    assert con.execute("from records order by record_id").fetchall() == records


def test_status_of_each_record_and_constraint(con: duckdb.DuckDBPyConnection) -> None:
    """Against every record of every attempt, one by one."""
    con.execute("create or replace temp table by_record as " + render(BY_RECORD))
    con.execute(
        "create or replace temp table expected as select * from by_record "
        "where attempt_id not in (select attempt_id from initial_answers group by attempt_id "
        "having count(*) > 5) "
        "qualify bool_and(status != 'known_false') over (partition by attempt_id, record_id)"
    )
    for one, other in (("expected", "known_status"), ("known_status", "expected")):
        assert con.execute(f"from {one} except all from {other}").fetchall() == []
    # Some attempts are too wide, and some are not.
    wide, all_attempts = con.execute(
        "select count(distinct attempt_id) filter (where attempt_id not in "
        "(select attempt_id from known_status)), count(distinct attempt_id) from by_record"
    ).fetchall()[0]
    assert 0 < wide < all_attempts


def test_every_constraint_excludes_a_record(con: duckdb.DuckDBPyConnection) -> None:
    """One that the others leave possible and that is not known to meet it."""
    con.execute("create or replace temp table by_record as " + render(BY_RECORD))
    repeating = con.execute(
        """
        with counted as (
            select
                *,
                count(*) filter (where status = 'known_false')
                    over (partition by attempt_id, record_id) as contradicted,
            from by_record
        )
        select attempt_id, constraint_id
        from counted
        group by attempt_id, constraint_id
        having not bool_or(
            status != 'known_true' and contradicted = (status = 'known_false')::integer
        )
        """
    ).fetchall()
    assert repeating == []
    # The first draws of many attempts had one that did not.
    redrawn = "select count(*) from field_constraints where not ends_with(draw_id, '-d1')"
    assert con.execute(redrawn).fetchall() > [(10,)]


def test_hostile_texts_are_asked_for(hostile: duckdb.DuckDBPyConnection) -> None:
    asked = hostile.execute("select distinct field, value from field_constraints").fetchall()
    assert {*HOSTILE, LONG} <= {value for _, value in asked}
    fields = {field for field, _ in asked}
    assert any("寿司" in field for field in fields) and max(map(len, fields)) > 99
    claims = hostile.execute("select claim, negation from field_claims").fetchall()
    assert all(claim and negation and claim != negation for claim, negation in claims)


def test_no_block_size_nor_thread_decides(hostile: duckdb.DuckDBPyConnection) -> None:
    tables = ("field_constraints", "initial_answers", "known_status", "structured_queries")
    before = {name: sorted(hostile.execute(f"from {name}").fetchall()) for name in tables}
    cursor = hostile.cursor()
    cursor.execute("use sources")
    cursor.execute("set threads = 1")
    build(cursor, (*BEFORE, *INITIALIZE), SLOTS, **SMALL | {"block_records": 4096})
    assert {name: sorted(cursor.execute(f"from {name}").fetchall()) for name in tables} == before


BY_RECORD = """
    select
        field_constraints.attempt_id,
        records.record_id,
        field_constraints.constraint_id,
        field_constraints.claim_id,
        case
            when field_constraints.field = 'categories' then if(
                list_contains(records.categories, field_constraints.value),
                'known_true', 'known_false'
            )
            when record_fields.value is null then 'unknown'
            when {{ meets(
                'record_fields.value', 'field_constraints.operator', 'field_constraints.value'
            ) }} then 'known_true'
            else 'known_false'
        end as status,
    from field_constraints
    cross join records
    left join record_fields
        on
            record_fields.record_id = records.record_id
            and record_fields.field = field_constraints.field
"""
