"""The records on the globe as a GeoParquet file, for maps and geographic tools."""

from __future__ import annotations

import duckdb

from udfs.plugin import load_extension
from udfs.warehouse.settings import Settings


def write_record_points(settings: Settings) -> int:
    """Write `record_points.parquet`, a row per record in the order of record_id; number of rows.

    The geometry is a point in WKB, longitude first in degrees of WGS 84. Equal records give equal
    bytes: one thread writes, and no time enters the file.
    """
    draft = settings.warehouse / ".record_points.new"
    with duckdb.connect(settings.published_path, read_only=True) as connection:
        load_extension(connection, "spatial")
        connection.execute("set threads = 1")
        rows = connection.execute(
            """
            copy (
                select
                    record_points.record_id,
                    records.name,
                    records.city,
                    records.state,
                    records.categories,
                    records.stars,
                    record_points.geometry,
                from sources.record_points
                inner join sources.records using (record_id)
                order by record_points.record_id
            ) to ? (format parquet, compression zstd)
            """,
            [str(draft)],
        ).fetchone()
    draft.replace(settings.record_points_path)
    return int(rows[0]) if rows else 0
