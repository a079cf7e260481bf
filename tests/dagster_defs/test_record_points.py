"""The GeoParquet file of the records, read back with pyarrow alone."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from dagster_defs.outputs.record_points import write_record_points
from udfs.plugin import load_extension
from udfs.warehouse.settings import Settings

PLACES = [("b", "Zoë's", 10.75, 59.9), ("a", "Line", -180.0, -0.05), ("c", "Pole", 0.0, 90.0)]


def publish(folder: Path, places: list[tuple[str, str, float, float]]) -> Settings:
    """A published warehouse of these places, and of a record without a point."""
    settings = Settings.from_env({"HETERQA_WAREHOUSE": str(folder)})
    folder.mkdir(exist_ok=True)
    with duckdb.connect(str(settings.published_path)) as connection:
        load_extension(connection, "spatial")
        connection.execute(
            "create schema sources;"
            "create table sources.records (record_id varchar, name varchar, city varchar,"
            " state varchar, categories varchar[], stars double);"
            "create table sources.record_points (record_id varchar, geometry geometry);"
            "insert into sources.records values ('nowhere', 'Nowhere', null, null, [], null)"
        )
        for record_id, name, longitude, latitude in places:
            connection.execute(
                "insert into sources.records values (?, ?, 'Oslo', null, ['Bars', 'Cafés'], 4.5)",
                [record_id, name],
            )
            connection.execute(
                "insert into sources.record_points values (?, st_point(?, ?))",
                [record_id, longitude, latitude],
            )
    return settings


def test_a_reader_of_geoparquet_finds_every_point(tmp_path: Path) -> None:
    settings = publish(tmp_path / "warehouse", PLACES)
    assert write_record_points(settings) == 3
    table = pq.read_table(settings.record_points_path)
    geo = json.loads(table.schema.metadata[b"geo"])
    column = geo["columns"][geo["primary_column"]]
    assert geo["primary_column"] == "geometry"
    assert (column["encoding"], column["geometry_types"]) == ("WKB", ["Point"])
    assert column["bbox"] == pytest.approx([-180, -0.05, 10.75, 90])
    rows = table.to_pylist()
    # WKB of a point: byte order, type 1, x, y.
    points = [(row["record_id"], *struct.unpack("<BIdd", row.pop("geometry"))) for row in rows]
    assert points == [(key, 1, 1, x, y) for key, _, x, y in sorted(PLACES)]
    assert rows[1] == {
        "record_id": "b",
        "name": "Zoë's",
        "city": "Oslo",
        "state": None,
        "categories": ["Bars", "Cafés"],
        "stars": 4.5,
    }


def test_equal_records_give_equal_bytes(tmp_path: Path) -> None:
    files = []
    for number, places in enumerate((PLACES, PLACES[::-1])):
        settings = publish(tmp_path / str(number), places)
        for _ in range(2):
            write_record_points(settings)
            files.append(settings.record_points_path.read_bytes())
    assert len(set(files)) == 1
    left = sorted(path.name for path in settings.warehouse.iterdir())
    assert left == ["heterqa.duckdb", "record_points.parquet"]
