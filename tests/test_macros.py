"""Macros as SQL, against plain Python or geographiclib, and the staging models on broken files."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest
from geographiclib.geodesic import Geodesic
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.render import MacroError, render, render_model

SPHERE = Geodesic(6371008.8, 0)
HALF_WAY_ROUND_KM = math.pi * 6371.0088
STAGING_MODELS = {
    "business": "stg_businesses",
    "review": "stg_reviews",
    "tip": "stg_tips",
    "user": "stg_users",
    "checkin": "stg_checkins",
    "photos": "stg_photos",
}

latitudes = st.floats(-90, 90) | st.sampled_from([-90.0, 0.0, 90.0])
longitudes = st.floats(-180, 180) | st.sampled_from([-180.0, -179.9999, 0.0, 179.9999, 180.0])
distances_km = st.floats(0.001, 100)
bearings = st.floats(0, 360, exclude_max=True)

Query = Callable[..., Any]


@pytest.fixture(scope="module")
def query() -> Query:
    """Renders a select list, runs it with parameters, returns its row, or its value if only one."""
    connection = duckdb.connect()
    rendered: dict[str, str] = {}

    def run(text: str, *parameters: Any) -> Any:
        sql = rendered.setdefault(text, f"select {render(text)}")
        row = connection.execute(sql, list(parameters)).fetchone()
        assert row is not None
        return row[0] if len(row) == 1 else row

    return run


# Distances and bearings


def distance_km(query: Query, *points: float) -> float:
    result: float = query(
        "{{ haversine_km('$1::double', '$2::double', '$3::double', '$4::double') }}", *points
    )
    return result


def bearing_deg(query: Query, *points: float) -> float:
    result: float = query(
        "{{ bearing_deg('$1::double', '$2::double', '$3::double', '$4::double') }}", *points
    )
    return result


@given(latitudes, longitudes, latitudes, longitudes)
@settings(max_examples=100, deadline=None)
@example(0, 179.99, 0, -179.99)
@example(90, 12, -90, -50)
@example(89.99, 0, 89.99, 180)
@example(41.8, -87.6, 41.8, -87.6)
def test_distance(query: Query, lat_a: float, lon_a: float, lat_b: float, lon_b: float) -> None:
    expected = SPHERE.Inverse(lat_a, lon_a, lat_b, lon_b)["s12"] / 1000
    # Near the opposite point the haversine formula keeps half of the digits.
    tolerance = 1e-6 if expected < 0.99 * HALF_WAY_ROUND_KM else 1e-3
    assert distance_km(query, lat_a, lon_a, lat_b, lon_b) == pytest.approx(expected, abs=tolerance)


@given(latitudes, longitudes, latitudes, longitudes)
@settings(max_examples=100, deadline=None)
@example(0, 179.99, 0, -179.99)
@example(0, -179.99, 0, 179.99)
@example(10, 20, 90, 0)
@example(10, 20, 9, 20)
@example(10, 20, 10, 20)
def test_bearing(query: Query, lat_a: float, lon_a: float, lat_b: float, lon_b: float) -> None:
    bearing = bearing_deg(query, lat_a, lon_a, lat_b, lon_b)
    assert 0 <= bearing < 360
    expected = SPHERE.Inverse(lat_a, lon_a, lat_b, lon_b)
    # Neither a point to itself nor one to its opposite has a bearing.
    if 0.001 < expected["s12"] / 1000 < 0.99 * HALF_WAY_ROUND_KM and abs(lat_a) < 89.9999:
        assert abs(math.remainder(bearing - expected["azi1"], 360)) < 1e-4


@given(latitudes, longitudes, distances_km, bearings)
@settings(max_examples=100, deadline=None)
@example(0, 179.99, 10, 90)
@example(0, -180, 10, 270)
@example(90, 0, 5, 123)
@example(89.99, 10, 1.1119508023353290, 0)
@example(-89.99, 10, 50, 180)
def test_destination(query: Query, lat: float, lon: float, distance: float, bearing: float) -> None:
    to_lat, to_lon = query(
        "{{ destination_latitude('$1::double', '$3::double', '$4::double') }},"
        "{{ destination_longitude('$1::double', '$2::double', '$3::double', '$4::double') }}",
        lat,
        lon,
        distance,
        bearing,
    )
    assert -90 <= to_lat <= 90
    assert -180 <= to_lon < 180
    expected = SPHERE.Direct(lat, lon, bearing, distance * 1000)
    off_by_m = SPHERE.Inverse(to_lat, to_lon, expected["lat2"], expected["lon2"])["s12"]
    assert off_by_m < 0.001


@pytest.mark.parametrize("missing", range(4))
def test_no_distance_without_a_coordinate(query: Query, missing: int) -> None:
    points: list[Any] = [1.0, 2.0, 3.0, 4.0]
    points[missing] = None
    assert distance_km(query, *points) is None
    assert bearing_deg(query, *points) is None


# Draws


def python_draw(seed: str, *parts: str | None) -> float:
    """The draw as documented: 52 bits of the md5 of the parts, nulls left out."""
    content = "\x1f".join([seed, *(part for part in parts if part is not None)])
    return int(hashlib.md5(content.encode()).hexdigest()[:13], 16) / 2**52


def drawn(macro: str, owners: list[str] | int, seed: str = "7") -> list[float]:
    """The draws of owners, or of a0, a1 and so on, in their order."""
    names = "'a' || unnest(range($1))" if isinstance(owners, int) else "unnest($1)"
    sql = f"select {render(macro, {'HETERQA_SEED': seed})} from (select {names} as owner)"
    return [value for (value,) in duckdb.execute(sql, [owners]).fetchall()]


@given(
    st.lists(st.text(max_size=12).filter(lambda t: "\0" not in t), min_size=1, max_size=5),
    st.sampled_from(["", "r1", "Zoë", "東京"]),
    st.sampled_from(["0", "7", "123456789"]),
)
@settings(max_examples=60, deadline=None)
def test_draw_is_the_md5(owners: list[str], key: str, seed: str) -> None:
    expected = [python_draw(seed, owner, "anchor", key) for owner in owners]
    assert drawn(f"{{{{ draw('owner', 'anchor', \"'{key}'\") }}}}", owners, seed) == expected


def test_draw_with_nulls(query: Query) -> None:
    draws = query("{{ draw('null', 'anchor', \"'k'\") }}, {{ draw(\"'a'\", 'anchor', 'null') }}")
    assert draws == (python_draw("7", "anchor", "k"), python_draw("7", "a", "anchor"))


def test_draws_are_uniform_and_independent() -> None:
    count = 10_000
    first = drawn("{{ draw('owner', 'anchor') }}", count)
    ranked = sorted(first)
    assert ranked[0] >= 0 and ranked[-1] < 1
    # Kolmogorov and Smirnov's distance stays below 1.63 / sqrt(n) in 99 of 100 samples.
    gaps = (abs((rank + 0.5) / count - value) for rank, value in enumerate(ranked))
    assert max(gaps) < 1.63 / math.sqrt(count)
    for other in (
        drawn("{{ draw('owner', 'bearing') }}", count),
        drawn("{{ draw('owner', 'anchor', \"'k'\") }}", count),
        drawn("{{ draw('owner', 'anchor') }}", count, seed="8"),
    ):
        products = sum((a - 0.5) * (b - 0.5) for a, b in zip(first, other, strict=True))
        assert abs(products / count * 12) < 0.05


def test_weighted_draw_follows_the_weights() -> None:
    sql = render(
        """
        select field, count(*)
        from (
            select field
            from (select 'a' || unnest(range(4000)) as owner)
            cross join (values ('light', 1.0), ('heavy', 3.0)) as fields (field, weight)
            qualify row_number() over (
                partition by owner
                order by {{ weighted_draw('weight', 'owner', 'field', 'field') }}, field
            ) = 1
        )
        group by field
        """
    )
    counts = dict(duckdb.execute(sql).fetchall())
    assert counts["heavy"] / 4000 == pytest.approx(0.75, abs=0.03)


def test_settings() -> None:
    assert render("{{ setting('seed') }} {{ setting('questions') }}") == "7 100"
    assert render("{{ setting('seed') }}", {"HETERQA_SEED": " 12 "}) == "12"
    for wrong in ("", "x", "1; drop table records", "-1"):
        with pytest.raises(MacroError, match="HETERQA_SEED is"):
            render("{{ setting('seed') }}", {"HETERQA_SEED": wrong})


# Constraints


@pytest.mark.parametrize(
    ("value", "operator", "wanted", "is_met"),
    [
        ("free", "=", "free", True),
        ("free", "=", "no", False),
        ("Free", "=", "free", False),
        ("10", ">=", "9", True),
        ("4.0", ">=", "4", True),
        ("3.5", ">=", "4", False),
        ("2", "<=", "2", True),
        ("10", "<=", "9", False),
        ("many", ">=", "4", None),
        (None, "=", "free", None),
        ("free", "like", "free", None),
    ],
)
def test_meets(
    query: Query, value: str | None, operator: str, wanted: str, is_met: bool | None
) -> None:
    assert query("{{ meets('$1', '$2', '$3') }}", value, operator, wanted) is is_met


# Input files


def input_connection(folder: Path, **contents: bytes) -> duckdb.DuckDBPyConnection:
    """A connection with the variables of the six input files; what is not given is empty."""
    connection = duckdb.connect()
    for name in STAGING_MODELS:
        path = folder / f"{name}.json"
        path.write_bytes(contents.get(name, b""))
        connection.execute(f"set variable input_{name} = '{path}'")
    return connection


@cache
def staging_sql(model: str) -> str:
    return render_model(f"staging/{model}")


def test_lines_of_a_broken_file(tmp_path: Path) -> None:
    lines = [
        b'{"business_id": "b1", "name": "Zo\xc3\xab"}',
        b"",
        b"   ",
        b'{"business_id": "cut',
        b'["business_id"]',
        b"null",
        b'{"name": "keyless"}',
        b'{"business_id": " "}',
        b'{"business_id": null}',
        b'{"business_id": "b1", "name": "again"}',
        b'{"business_id": "twice", "business_id": "in one"}',
        b'{"business_id": "a backslash \\\\x01"}',
        b'{"business_id": "a raw control \x01"}',
        b'{"business_id": "' + b"long" * 300_000 + b'"}',
        b'{"business_id": "last"}',
    ]
    expected = {
        4: "is not JSON",
        5: "is not a JSON object",
        6: "is not a JSON object",
        7: "has no business_id",
        8: "has no business_id",
        9: "has no business_id",
        13: "is not JSON",
    }
    for end in (b"\n", b"\r\n"):
        connection = input_connection(tmp_path, business=end.join(lines))
        seen = connection.execute(
            render(
                "select line_number, reason from {{ input_lines('business', ['business_id']) }}"
                " order by line_number"
            )
        ).fetchall()
        assert [number for number, _ in seen] == [1, *range(4, 16)]
        assert {number: reason for number, reason in seen if reason} == expected
        accepted = connection.execute(
            render(
                "select line_number from"
                " {{ accepted_lines('business', ['business_id'], 'business_id') }}"
                " order by line_number"
            )
        ).fetchall()
        assert [number for (number,) in accepted] == [1, 11, 12, 14, 15]


some_line = st.one_of(
    st.text(st.characters(exclude_characters="\r\n\0", exclude_categories=["Cs"]), max_size=20),
    st.builds(
        json.dumps,
        st.dictionaries(
            st.sampled_from(["business_id", "review_id", "text", "user_id", "date", "photo_id"]),
            st.none() | st.integers(0, 3) | st.text(max_size=3) | st.just("b1"),
            max_size=6,
        ),
    ),
)


@given(st.fixed_dictionaries({name: st.lists(some_line, max_size=6) for name in STAGING_MODELS}))
@settings(max_examples=40, deadline=None)
def test_every_line_is_accepted_or_rejected(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, list[str]]
) -> None:
    """Accepted lines of known businesses and rejected lines are all lines, and no line is both."""
    connection = input_connection(
        tmp_path_factory.getbasetemp(),
        **{name: "\n".join(lines).encode() for name, lines in files.items()},
    )
    places: Counter[tuple[str, int]] = Counter()
    for name, model in STAGING_MODELS.items():
        connection.execute(f"create table {model} as {staging_sql(model)}")
        known = "" if name == "user" else "where business_id in (select business_id from known)"
        connection.execute(
            "create view if not exists known as select business_id from stg_businesses"
        )
        accepted = connection.execute(f"select line_number from {model} {known}").fetchall()
        places.update((name, number) for (number,) in accepted)
    rejected = connection.execute(staging_sql("rejected_rows")).fetchall()
    places.update((file, number) for file, number, _ in rejected)
    expected = {
        (name, number)
        for name, lines in files.items()
        for number, line in enumerate(lines, start=1)
        if line.strip(" ")
    }
    assert set(places) == expected
    assert set(places.values()) <= {1}


def test_reasons_of_rejected_rows(tmp_path: Path) -> None:
    connection = input_connection(
        tmp_path,
        business=b'{"business_id": "b1"}\n{"business_id": "b1"}\n',
        review=b'{"review_id": "v1", "business_id": "b1", "text": "Fine."}\n'
        b'{"review_id": "v1", "business_id": "b9", "text": "Fine."}\n'
        b'{"review_id": "v2", "business_id": "b9", "text": "Fine."}\n'
        b'{"review_id": "v3", "business_id": "b1", "text": "  "}\n',
        tip=b'{"business_id": "b1", "user_id": "u1", "date": "2020-01-01", "text": "Go."}\n'
        b'{"business_id": "b1", "user_id": "u2", "date": "2020-01-01", "text": "Go."}\n'
        b'{"business_id": "b1", "user_id": "u1", "date": "2020-01-01", "text": "Go."}\n',
    )
    connection.execute(f"create table stg_businesses as {staging_sql('stg_businesses')}")
    assert sorted(connection.execute(staging_sql("rejected_rows")).fetchall()) == [
        ("business", 2, "repeats a business_id"),
        ("review", 2, "repeats a review_id"),
        ("review", 3, "is about an unknown business_id"),
        ("review", 4, "has no text"),
        ("tip", 3, "repeats a tip"),
    ]


def test_last_decision_counts(tmp_path: Path) -> None:
    """A later line of any file wins, a blank decision decides nothing, wordings are kept apart."""
    decided = {"attempt_id": "a1", "record_id": "r1", "question": "Wo?", "decided_by": "Zoë"}
    first = [
        decided | {"decision": "keep", "decided_at": "2026-01-01T10:00:00"},
        decided | {"decision": "remove", "decided_at": "2026-01-02T10:00:00"},
        decided | {"decision": "", "decided_at": "2026-01-03T10:00:00"},
    ]
    second = [
        decided | {"decision": "keep", "decided_at": "2026-01-01T11:00:00"},
        decided | {"question": "Wer?", "decision": "keep", "decided_at": "2026-01-01T10:00:00"},
    ]
    for name, lines in (("a", first), ("b", second)):
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    connection = duckdb.connect()
    connection.execute(f"set variable decisions = '{tmp_path}/*.jsonl'")
    rows = connection.execute(staging_sql("stg_decisions")).fetchall()
    assert sorted((row[2], row[3]) for row in rows) == [("Wer?", "keep"), ("Wo?", "remove")]


# Words and requests


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("Café déjà-vu 24/7!", ["café", "déjà", "vu", "24", "7"]),
        ("Cafe\u0301", ["café"]),
        ("東京 bar", ["東", "京", "bar"]),
        ("...", []),
        ("", []),
    ],
)
def test_words(query: Query, content: str, words: list[str]) -> None:
    assert query("{{ words('$1') }}", content) == words


def test_request_key_covers_role_and_input() -> None:
    connection = duckdb.connect()
    connection.execute("create macro model_signature(role, task) as role || task || ' v1'")
    sql = render(
        "select {{ request_key('judge', ['claim', 'content']) }},"
        " {{ request_key('writer', ['claim', 'content']) }}"
        " from (values ('a', 'b'), ('a', 'c'), ('ab', ''), ('', 'ab'), (null, 'ab'))"
        " as requests (claim, content)"
    )
    keys = [key for row in connection.execute(sql).fetchall() for key in row]
    assert len(set(keys)) == len(keys) == 10
    changed = "create or replace macro model_signature(role, task) as role || task || ' v2'"
    connection.execute(changed)
    assert not set(keys) & {key for row in connection.execute(sql).fetchall() for key in row}
