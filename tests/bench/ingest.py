"""`make bench-ingest`: what staging a review file costs, against reading it and nothing else.

Each size is measured in a process of its own, on a synthetic collection that is written once. The
reference is the sum of the texts' lengths by `read_json` with explicit columns, in the same run.
The first time, the file is surveyed too (its hash, its lines). `texts` is what comes after staging:
reviews and tips read again, cleaned, compared and kept. `describe` surveys all files.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import duckdb

from dagster_defs.inputs.files import describe_inputs
from dagster_defs.inputs.lines import survey
from tests.bench.yelp import Size, write_collection
from tests.support.render import render_model
from tests.support.staging import make
from udfs.plugin import set_variables, variables
from udfs.warehouse.collection import input_files
from udfs.warehouse.places import REPO
from udfs.warehouse.settings import Settings

SIZES = [100_000, 1_000_000, 7_000_000]
FULL = Size()
COLUMNS = {
    "review_id": "varchar",
    "user_id": "varchar",
    "business_id": "varchar",
    "stars": "double",
    "useful": "bigint",
    "funny": "bigint",
    "cool": "bigint",
    "text": "varchar",
    "date": "timestamp",
}
HEADER = (
    "reviews", "read s", "stage s", "survey s", "ratio", "first time", "rows/s", "texts s",
    "describe s", "again s", "peak GB",
)  # fmt: skip


def collection_of(folder: Path, reviews: int) -> Path:
    """A collection with so many reviews and the other files in proportion; written once."""
    target = folder / f"reviews_{reviews}"
    if not (target / "photos.json").exists():
        share = reviews / FULL.reviews
        sizes = (FULL.businesses, FULL.users, FULL.reviews, FULL.tips, FULL.photos)
        write_collection(target, Size(*(max(1, round(size * share)) for size in sizes)))
    return target


def measure(data: Path, reviews: int) -> dict[str, float]:
    """Seconds of the reference, of staging, and of surveying the files, the least of some runs."""
    warehouse = data / "warehouse"
    shutil.rmtree(warehouse, ignore_errors=True)
    warehouse.mkdir()
    settings = Settings.from_env({"HETERQA_DATA": str(data), "HETERQA_WAREHOUSE": str(warehouse)})
    describe = _seconds(lambda: describe_inputs(settings))
    again = _seconds(lambda: describe_inputs(settings))
    with duckdb.connect(settings.build_path) as connection:
        connection.execute(f"set memory_limit = '{settings.memory_gb}GB'")
        set_variables(connection, variables(settings))
        for model in ("rejected_business_lines", "stg_businesses"):
            make(connection, model)
        reference = (
            "select count(*), sum(length(text))"
            f" from read_json(getvariable('build')['input_review'], columns = {COLUMNS})"
        )

        def stage() -> None:
            connection.execute("drop table if exists rejected_review_lines")
            make(connection, "rejected_review_lines")

        path = Path(input_files(settings)["review"])
        reads, stages, surveys = [], [], []
        for _ in range(5 if reviews <= SIZES[1] else 2):
            surveys.append(_seconds(lambda: survey(path)))
            reads.append(_seconds(lambda: connection.execute(reference)))
            stages.append(_seconds(stage))
        for model in ("rejected_tip_lines", "stg_tips"):
            make(connection, model)
        # Ephemeral in dbt: read where it is used.
        connection.execute(f"create view stg_reviews as {render_model('stg_reviews')}")
        texts = _seconds(lambda: make(connection, "texts"))
    shutil.rmtree(warehouse)
    return {
        "reviews": reviews,
        "read s": min(reads),
        "stage s": min(stages),
        "survey s": min(surveys),
        "ratio": min(stages) / min(reads),
        "first time": (min(stages) + min(surveys)) / min(reads),
        "rows/s": reviews / min(stages),
        "texts s": texts,
        "describe s": describe,
        "again s": again,
        "peak GB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20),
    }


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=REPO / ".bench", help="where files go")
    parser.add_argument("--reviews", type=int, nargs="+", default=SIZES, help="the sizes")
    parser.add_argument("--one", type=int, help="measure one size here, and print JSON")
    parser.add_argument("--keep", action="store_true", help="keep the files for the next time")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measure(collection_of(given.folder, given.one), given.one)))
        return 0
    print("".join(f"{name:>12}" for name in HEADER), flush=True)
    for reviews in given.reviews:
        collection_of(given.folder, reviews)
        command = [sys.executable, "-m", "tests.bench.ingest", "--folder", str(given.folder)]
        done = subprocess.run(
            [*command, "--one", str(reviews)],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            env=dict(os.environ),
        )
        row = json.loads(done.stdout)
        print(
            "".join(f"{row[name]:>12,.{0 if row[name] > 99 else 2}f}" for name in HEADER),
            flush=True,
        )
        if not given.keep:
            shutil.rmtree(given.folder / f"reviews_{reviews}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
