"""Macros as SQL, against plain Python or geographiclib, and the staging models on broken files."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from typing import Any

import duckdb
import pytest
from geographiclib.geodesic import Geodesic
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.render import MacroError, render

SPHERE = Geodesic(6371008.8, 0)
HALF_WAY_ROUND_KM = math.pi * 6371.0088
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
    assert render("{{ setting('seed') }} {{ setting('questions') }}") == "7 null"
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


# The nearest candidates of a query


CANDIDATES = [
    ("q1", "far", 0.1, True),
    ("q1", "öl", 0.5, False),
    ("q1", "oil", 0.5, False),
    ("q1", "near", 0.9, False),
    ("q1", "unknown", None, False),
    ("q2", "near", 0.5, False),
]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", ["q1 near", "q2 near"]),
        (", most=3", ["q1 near", "q1 oil", "q1 öl", "q2 near"]),
        (", most=2", ["q1 near", "q1 oil", "q2 near"]),
        (", most=9, least=0.5", ["q1 near", "q1 oil", "q1 öl", "q2 near"]),
        (", most=9, least=0.6", ["q1 near"]),
        (", most=2, least=0.6, always='is_origin'", ["q1 far", "q1 near"]),
        (", most=\"if(query = 'q2', 0, 1)\"", ["q1 near"]),
        (", most=9", ["q1 far", "q1 near", "q1 oil", "q1 unknown", "q1 öl", "q2 near"]),
    ],
)
def test_nearest_candidates(arguments: str, expected: list[str]) -> None:
    nearest = "{{ nearest('candidates', query=['query'], key='candidate'" + arguments + ") }}"
    connection = duckdb.connect()
    connection.execute(
        "create table candidates (query text, candidate text, similarity double, is_origin bool)"
    )
    connection.executemany("insert into candidates values (?, ?, ?, ?)", CANDIDATES)
    found = connection.execute(render(nearest)).fetchall()
    assert sorted(f"{query} {candidate}" for query, candidate, *_ in found) == expected


# Recovery


@pytest.mark.parametrize(
    ("sentence", "denies"),
    [
        ("There is no wifi.", True),
        ("They don\u2019t take cards.", True),
        ("NOT FOR KIDS", True),
        ("Nobody knows the notes.", False),
        ("I know a knot.", False),
        ("", False),
    ],
)
def test_words_that_deny(query: Query, sentence: str, denies: bool) -> None:
    negations = "(select list(word) from read_csv('seeds/negations.csv') where reads != 'rules')"
    denial = f"""{{{{ has_negation('$1::varchar', "{negations}") }}}}"""
    assert query(denial, sentence) is denies


def test_a_confidence_weighs_its_log_odds(query: Query) -> None:
    weights = [query("{{ evidence_weight('$1::double') }}", tenth / 10) for tenth in range(11)]
    assert weights[0] == 0
    assert weights == sorted(weights)
    # As far from a half to each side, as much apart; and no confidence weighs without bounds.
    assert weights[10] == pytest.approx(2 * weights[5], abs=2e-4)
    assert weights[9] - weights[5] == pytest.approx(weights[5] - weights[1], abs=2e-4)
    assert weights[10] == pytest.approx(7.07, abs=0.01)
    assert weights[5] == pytest.approx(3.54, abs=0.01)


@pytest.mark.parametrize(
    ("right", "count", "pooled", "precision"),
    [(0, 0, 0.9, 0.9), (4, 4, 0.9, 0.9167), (0, 1, 0.9, 0.8571), (190, 200, 0.8, 0.9364)],
)
def test_few_values_borrow_from_all_fields(
    query: Query, right: int, count: int, pooled: float, precision: float
) -> None:
    few = "{{ pooled_precision('$1', '$2', '$3::double') }}"
    assert query(few, right, count, pooled) == precision
    assert query(few, right, count, None) is None


@pytest.mark.parametrize(
    ("false_count", "unknown_count", "recovered_count", "modes"),
    [
        (0, 0, 0, {"none", "all", "any"}),
        (0, 0, 1, {"all", "any"}),
        (0, 1, 1, {"any"}),
        (0, 1, 0, set()),
        (1, 0, 1, set()),
        (1, 1, 1, set()),
    ],
)
def test_who_is_a_candidate(
    query: Query, false_count: int, unknown_count: int, recovered_count: int, modes: set[str]
) -> None:
    counts = (
        f" from (select {false_count} as false_count, {unknown_count} as unknown_count,"
        f" {recovered_count} as recovered_count) as counts"
    )
    lets_in = {
        mode
        for mode in ("none", "all", "any")
        if query("{{ is_candidate('" + mode + "', 'counts') }}" + counts)
    }
    assert lets_in == modes


def test_another_mode_of_recovery_is_refused(query: Query) -> None:
    with pytest.raises(MacroError, match="recovery is 'some': it can be all, any or none"):
        query("{{ is_candidate('some', 'counts') }}")


def test_a_photo_judgement_depends_on_what_the_file_holds() -> None:
    connection = duckdb.connect()
    connection.execute("create macro model_signature(role, task) as role || task")
    connection.execute("create table stg_photo_files (photo_id varchar, content_hash varchar)")
    sql = render(
        "select {{ judge_key('support', 'channel', 'claim', 'content', 'entry_id') }}"
        " from (values ('photo', 'photo:p1'), ('photo', 'photo:p2'), ('text', 'photo:p1'))"
        " as evidence (channel, entry_id) cross join (select 'It is old.' as claim, '' as content)"
    )

    def keys(*files: tuple[str, str | None]) -> list[str]:
        connection.execute("delete from stg_photo_files")
        for file in files:
            connection.execute("insert into stg_photo_files values (?, ?)", file)
        return [key for (key,) in connection.execute(sql).fetchall()]

    absent, first = keys(("p1", None)), keys(("p1", "h1"), ("p2", "h1"))
    assert len({*absent, *first}) == 5
    assert absent == keys() and absent[2] == first[2]
    replaced = keys(("p1", "h2"), ("p2", "h1"))
    assert [a == b for a, b in zip(first, replaced, strict=True)] == [False, True, True]
