"""The spatial join on boxes finds what the distances of all pairs find, each pair once."""

from __future__ import annotations

import duckdb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.render import render, render_model
from udfs.plugin import load_extension

Point = tuple[float, float]
edge_latitudes = st.sampled_from([-90.0, -89.95, 0.0, 89.95, 90.0])
edge_longitudes = st.sampled_from([-180.0, -179.95, 0.0, 179.95, 180.0])
points = st.tuples(
    st.floats(-90, 90) | edge_latitudes | st.floats(41.8, 42),
    st.floats(-180, 180) | edge_longitudes | st.floats(-87.7, -87.5),
)


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    load_extension(connection, "spatial")
    connection.execute("set geometry_always_xy = true")
    return connection


def pairs(connection: duckdb.DuckDBPyConnection, tables: str, where: str) -> list[tuple[int, int]]:
    near = render("{{ haversine_km('a.latitude', 'a.longitude', 'b.latitude', 'b.longitude') }}")
    return connection.execute(
        f"select a.number, b.number from {tables} {where} {near} <= $distance order by all",
        {"distance": connection.execute("select distance from within").fetchall()[0][0]},
    ).fetchall()


@given(st.lists(points, min_size=1, max_size=12), st.sampled_from([0.001, 1.0, 10.0, 500.0, 15e3]))
@settings(max_examples=150, deadline=None)
@example([(0.0, 180.0), (0.0, -180.0), (0.0, 179.95), (0.0, -179.95)], 10.0)
@example([(90.0, 0.0), (89.95, 180.0), (89.95, -180.0), (89.95, 90.0), (-90.0, 7.0)], 10.0)
@example([(41.8, -87.6), (41.8, -87.6)], 0.001)
@example([(89.0, 0.0), (89.0, 5.15), (89.0, 5.16)], 10.0)
def test_boxes_lose_no_pair_and_repeat_none(
    connection: duckdb.DuckDBPyConnection, placed: list[Point], distance: float
) -> None:
    connection.execute("create or replace temp table within as select $1::double as distance", [
        distance
    ])  # fmt: skip
    connection.execute(
        "create or replace temp table points as select row_number() over () as number,"
        " unnest($1::double[]) as latitude, unnest($2::double[]) as longitude",
        [[latitude for latitude, _ in placed], [longitude for _, longitude in placed]],
    )
    boxes = render("{{ boxes_around('latitude', 'longitude', 'distance') }}")
    joined = pairs(
        connection,
        f"(select *, unnest({boxes}) as box from points cross join within) as a"
        " inner join (select *, st_point(longitude, latitude) as geometry from points) as b"
        " on st_intersects(a.box, b.geometry)",
        "where",
    )
    plain = pairs(connection, "points as a cross join points as b", "where")
    assert joined == plain
    assert len(plain) >= len(placed)


def test_references_are_looked_up_by_boxes(connection: duckdb.DuckDBPyConnection) -> None:
    """One more condition between the two tables would make DuckDB compare all pairs."""
    connection.execute(
        """
        create schema planned;
        use planned;
        create table record_points as
            select
                'r' || number as record_id,
                number / 100 as latitude,
                number / 100 as longitude,
                st_point(number / 100, number / 100) as geometry,
            from range(1000) as numbers (number);
        create table records as select record_id, record_id as name from record_points;
        create table attempts as select 'a' || record_id as attempt_id, ['spatial'] as sources
            from record_points;
        create table anchors as select 'a' || record_id as attempt_id, record_id
            from record_points;
        create table candidates as from anchors;
        """
    )
    query = render_model("spatial_references", {"HETERQA_SEED": "7"})
    connection.execute("set variable build = {'user_salt': ''}")
    plan = "".join(text for _, text in connection.execute(f"explain {query}").fetchall())
    referring = connection.execute(f"select count(reference_record_id) from ({query})").fetchall()[
        0
    ][0]
    connection.execute("use main")
    assert "SPATIAL_JOIN" in plan
    assert 300 < referring < 700
