"""`make bench-search`: the exact search in blocks, against one product in memory and argpartition.

Each size is searched in a process of its own, from a file of float16 vectors that is read block by
block, and, with --table, from DuckDB tables, read and joined as the model does it. The reference
holds all vectors in memory as float32; it is measured in the same process, in turns, where that
fits. Vectors gather around topics, and every tenth repeats another. The tables' peak counts what
DuckDB keeps of them in memory, up to --duckdb-memory.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from threadpoolctl import threadpool_limits

from tests.bench.limits import Limit, hold_to
from udfs.search.nearest import Block, Hits, nearest, pack_allowed
from udfs.search.vectors import read_blocks
from udfs.warehouse.places import REPO

SIZES = [200_000, 400_000, 800_000, 1_600_000]
# A product in memory of more than this many pairs is not measured.
REFERENCE_PAIRS = 400_000_000
DIMENSIONS = 384
TOPICS = 500
BLOCK = 8192
RECORDS = 150_000
ENTRY_ID = "'text:' || left(md5(entry::varchar), 22)"
ROWS = pa.schema({"entry": pa.int64(), "passage": pa.int64(), "vector": pa.list_(pa.float32())})
# What is wanted of the smallest size, and of so many vectors, as far as the measured ones tell.
MOST_RATIO = 1.5
FULL, MOST_MINUTES, MOST_GB = 8_000_000, 15, 6
# How much more time a vector may take at the largest size than at the smallest.
MOST_GROWTH = 1.5
HEADER = ("vectors", "plain s", "search s", "ratio", "masked s", "table s", "peak GB", "table GB")


def vectors_of(count: int, seed: int) -> Iterator[np.ndarray[Any, Any]]:
    """Unit vectors in blocks, around topics that are the same for every seed."""
    topics = np.random.default_rng(1).normal(size=(TOPICS, DIMENSIONS)).astype(np.float32)
    generator = np.random.default_rng(seed)
    for start in range(0, count, BLOCK):
        rows = min(BLOCK, count - start)
        block = generator.standard_normal((rows, DIMENSIONS), dtype=np.float32)
        block += topics[generator.integers(TOPICS, size=rows)]
        block /= np.linalg.norm(block, axis=1, keepdims=True)
        block[::10] = block[generator.integers(rows, size=len(block[::10]))]
        yield block.astype(np.float16)


def write_vectors(folder: Path, count: int) -> Path:
    """A file of so many vectors; written once."""
    path = folder / f"vectors_{count}.f16"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with path.with_suffix(".part").open("wb") as file:
            for block in vectors_of(count, seed=2):
                file.write(block.tobytes())
        path.with_suffix(".part").rename(path)
    return path


def blocks_of(path: Path) -> Iterator[Block]:
    """The file's vectors; each is an entry, 50 of them in a row or so are a record's."""
    start = 0
    with path.open("rb") as file:
        while content := file.read(BLOCK * DIMENSIONS * 2):
            vectors = np.frombuffer(content, np.float16).reshape(-1, DIMENSIONS)
            entries = np.arange(start, start + len(vectors))
            start += len(vectors)
            yield Block(vectors, entries, np.ones_like(entries), entries // 50 % RECORDS)


def pairs_seen(queries: int, share: float) -> Iterator[tuple[Any, Any]]:
    """Queries and the records that they see, a hundred queries at a time."""
    generator = np.random.default_rng(4)
    for start in range(0, queries, 100):
        size = (min(100, queries - start), RECORDS)
        seen, records = np.nonzero(generator.random(size, dtype=np.float32) < share)
        yield seen + start, records


def write_table(path: Path, count: int) -> None:
    """The same vectors as a build stores them; written once."""
    target = path.with_suffix(".duckdb")
    if target.exists():
        return
    part = target.with_suffix(".part")
    part.unlink(missing_ok=True)
    rows = pa.RecordBatchReader.from_batches(ROWS, map(_batch, blocks_of(path)))
    with duckdb.connect(part) as connection:
        connection.register("rows", rows)
        connection.execute(
            f"create table entry_vectors as select {ENTRY_ID} as entry_id,"
            " passage as passage_number, vector from rows"
        )
        connection.execute(
            f"create table recovery_entries as select {ENTRY_ID} as entry_id, 'text' as source,"
            f" entry as entry_number, entry // 50 % {RECORDS} as record_number"
            f" from range({count}) as entries (entry)"
        )
    part.rename(target)


def _batch(block: Block) -> pa.RecordBatch:
    values = block.vectors.astype(np.float32).ravel()
    edges = np.arange(0, len(values) + 1, DIMENSIONS, dtype=np.int32)
    vectors = pa.ListArray.from_arrays(edges, values)
    return pa.record_batch([block.entries, block.passages, vectors], schema=ROWS)


def measure(path: Path, given: argparse.Namespace) -> dict[str, float | None]:
    """Seconds of each way, the least of some turns, and the most memory that the search took."""
    queries = next(vectors_of(given.queries, seed=3))
    allowed = pack_allowed(pairs_seen(given.queries, given.seen), given.queries, RECORDS)
    settings = {"threads": given.threads, "memory_mb": given.memory_mb}

    def search() -> Hits:
        return nearest(queries, blocks_of(path), given.depth, **settings)

    def masked() -> Hits:
        return nearest(queries, blocks_of(path), given.depth, allowed, **settings)

    has_reference = given.one * given.queries <= REFERENCE_PAIRS
    seconds: dict[str, list[float]] = {"plain s": [], "search s": [], "masked s": []}
    turns = given.turns if has_reference else 1
    for turn in range(turns):
        seconds["search s"].append(_seconds(search))
        seconds["masked s"].append(_seconds(masked))
        if turn == 0:
            peak = _peak()
    result: dict[str, float | None] = {"vectors": given.one, "peak GB": peak}
    if given.table:
        table = path.with_suffix(".duckdb")
        with duckdb.connect(table, config={"threads": given.threads}, read_only=True) as connection:
            connection.execute(f"set memory_limit = '{given.duckdb_memory}'")
            entries = connection.table("recovery_entries").filter("source = 'text'")
            searched = connection.table("entry_vectors").join(entries, "entry_id")
            relation = searched.select("vector, entry_number, passage_number, record_number")

            def from_table() -> Hits:
                return nearest(queries, read_blocks(relation), given.depth, allowed, **settings)

            result["table s"] = min(_seconds(from_table) for _ in range(turns))
            result["table GB"] = _peak()
    if has_reference:
        in_memory = np.concatenate([block.vectors for block in blocks_of(path)]).astype(np.float32)
        rows = queries.astype(np.float32)

        def plain() -> None:
            products = rows @ in_memory.T
            place = products.shape[1] - given.depth
            np.argpartition(products, place, axis=1)[:, place:]

        with threadpool_limits(given.threads, user_api="blas"):
            for _ in range(turns):
                seconds["plain s"].append(_seconds(plain))
                seconds["search s"].append(_seconds(search))
    least = {name: min(found) if found else None for name, found in seconds.items()}
    if least["plain s"] and least["search s"]:
        result["ratio"] = least["search s"] / least["plain s"]
    return result | least


def limits(rows: list[dict[str, Any]]) -> list[Limit]:
    """What the measures of growing sizes are held to.

    What all vectors would take goes by the largest: time by its pace, memory by the line through it
    and the size before. (A table's memory grows until DuckDB has all that it may have.) One size
    has no growth to hold, and tells the memory of all vectors only where it is all of them.
    """
    first, last = rows[0], rows[-1]
    wanted = []
    if first["plain s"]:
        wanted.append(
            Limit(
                f"{first['vectors']:,} vectors within {MOST_RATIO} times a product in memory",
                f"{first['ratio']:.2f} times",
                first["ratio"] <= MOST_RATIO,
            )
        )
    for name, seconds, memory in (
        ("a file", "masked s", "peak GB"),
        ("a table", "table s", "table GB"),
    ):
        if seconds not in last:
            continue
        pace = last[seconds] / last["vectors"]
        minutes = FULL * pace / 60
        wanted.append(
            Limit(
                f"{FULL:,} vectors of {name} under {MOST_MINUTES} min",
                f"{minutes:.1f} min at the pace of {last['vectors']:,}",
                minutes < MOST_MINUTES,
            )
        )
        gigabytes = last[memory] if last["vectors"] == FULL else None
        if len(rows) > 1:
            before = rows[-2]
            growth = pace / (first[seconds] / first["vectors"])
            slope = (last[memory] - before[memory]) / (last["vectors"] - before["vectors"])
            gigabytes = last[memory] + slope * (FULL - last["vectors"])
            wanted.append(
                Limit(
                    f"{name}: a vector at most {MOST_GROWTH} times as long as of"
                    f" {first['vectors']:,}",
                    f"{growth:.2f} times",
                    growth <= MOST_GROWTH,
                )
            )
        if gigabytes is not None:
            wanted.append(
                Limit(
                    f"{name} of {FULL:,} within {MOST_GB} GB",
                    f"{gigabytes:.1f} GB",
                    gigabytes <= MOST_GB,
                )
            )
    return wanted


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=REPO / ".bench", help="where files go")
    parser.add_argument("--vectors", type=int, nargs="+", default=SIZES, help="the sizes")
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--depth", type=int, default=300)
    parser.add_argument("--seen", type=float, default=0.2, help="share of records a query sees")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--memory-mb", type=int, default=512)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--table", action="store_true", help="from a DuckDB table, too")
    parser.add_argument("--duckdb-memory", default="1GB")
    parser.add_argument("--write", type=int, help="write the files of one size, and no more")
    parser.add_argument("--one", type=int, help="measure one size here, and print JSON")
    parser.add_argument("--keep", action="store_true", help="keep the files for the next time")
    given = parser.parse_args()
    if given.write:
        path = write_vectors(given.folder, given.write)
        if given.table:
            write_table(path, given.write)
        return 0
    if given.one:
        print(json.dumps(measure(write_vectors(given.folder, given.one), given)))
        return 0
    print(f"{given.queries:,} queries, the {given.depth} nearest, {given.threads} threads")
    print("".join(f"{name:>12}" for name in HEADER), flush=True)
    rows = []
    for count in sorted(set(given.vectors)):
        command = [sys.executable, "-m", "tests.bench.search", *sys.argv[1:]]
        # In processes of their own, so that the most memory is that of the search.
        subprocess.run([*command, "--write", str(count)], check=True)
        done = subprocess.run(
            [*command, "--one", str(count)], check=True, stdout=subprocess.PIPE, text=True
        )
        row = json.loads(done.stdout)
        rows.append(row)
        print("".join(_cell(row.get(name)) for name in HEADER), flush=True)
        if not given.keep:
            for file in given.folder.glob(f"vectors_{count}.*"):
                file.unlink()
    return hold_to(limits(rows))


def _cell(value: float | None) -> str:
    return f"{'':>12}" if value is None else f"{value:>12,.{0 if value > 9999 else 2}f}"


if __name__ == "__main__":
    sys.exit(main())
