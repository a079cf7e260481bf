"""The release files: written from a warehouse, checked, then put in place."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import duckdb

from dagster_defs.outputs.layout import (
    ANSWERS,
    EVIDENCE,
    FILE_SCHEMAS,
    LAYOUT,
    MANIFEST,
    QRELS,
    QRELS_HEADER,
    QUERIES,
    SCHEMAS,
    Row,
)
from dagster_defs.outputs.validate import Secrets, read_lines, validate_release
from udfs.warehouse.folders import replace_folder
from udfs.warehouse.inputs import InputFile, read_inputs
from udfs.warehouse.places import REPO
from udfs.warehouse.settings import Settings


def write_release(settings: Settings) -> dict[str, int]:
    """Write the release of the published warehouse, check it, and put it in place.

    Returns the manifest's counts of questions, answer pairs and pieces of evidence.
    Raises ReleaseError, and leaves the last release untouched, when a check fails.
    """
    manifest = draft_release(settings, settings.published_path)
    replace_folder(_draft_folder(settings), settings.release_dir)
    return {key: value for key, value in manifest.items() if key.endswith("_count")}


def draft_release(settings: Settings, warehouse: Path) -> Row:
    """Write the release of a warehouse file beside its place, and check it; its manifest.

    Raises ReleaseError for the first rule that it breaks.
    """
    draft = _draft_folder(settings)
    shutil.rmtree(draft, ignore_errors=True)
    (draft / "data" / "qrels").mkdir(parents=True)
    (draft / "schemas").mkdir()

    with duckdb.connect(warehouse, read_only=True) as connection:
        for file in FILE_SCHEMAS:
            _write_lines(draft / file, _read_rows(connection, LAYOUT[file]))
        pairs = connection.execute(LAYOUT[QRELS]).fetchall()
        photos = connection.execute("select photo_id from sources.photos").fetchall()
        slots = connection.execute("select count(*) from construction.slots").fetchall()
    with (draft / QRELS).open("w", encoding="utf-8", newline="") as file_handle:
        writer = csv.writer(file_handle, delimiter="\t", lineterminator="\n")
        writer.writerow(QRELS_HEADER)
        writer.writerows(pairs)

    for file, schema in SCHEMAS.items():
        _write_json(draft / file, schema)
    manifest = _manifest(settings, draft, slots[0][0])
    _write_json(draft / MANIFEST, manifest)

    paths = [str(folder) for folder in (settings.warehouse, settings.data, REPO)]
    validate_release(draft, Secrets(paths, {photo_id for (photo_id,) in photos}))
    return manifest


def _draft_folder(settings: Settings) -> Path:
    return settings.warehouse / ".release.new"


def _read_rows(connection: duckdb.DuckDBPyConnection, query: str) -> Iterator[Row]:
    result = connection.execute(query)
    described = result.description or []
    columns = [column[0] for column in described]
    is_json = [str(column[1]) == "JSON" for column in described]
    for values in result.fetchall():
        parsed = (
            json.loads(value) if json_column and value is not None else value
            for value, json_column in zip(values, is_json, strict=True)
        )
        yield dict(zip(columns, parsed, strict=True))


def _write_lines(path: Path, rows: Iterator[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")


def _write_json(path: Path, content: Row) -> None:
    text = json.dumps(content, ensure_ascii=False, indent=2) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")


def _manifest(settings: Settings, draft: Path, slot_count: int) -> Row:
    described = read_inputs(settings)
    inputs = described.files if described else []
    subsets = Counter(row["subset"] for row in read_lines(draft, QUERIES))
    answers = list(read_lines(draft, ANSWERS))
    return {
        "source_url": _source_url(inputs),
        "source_name": "sample city" if settings.is_sample_city else "collection of records",
        "source_files": {
            file.name: {"sha256": file.sha256, "bytes": file.size, "lines": file.lines}
            for file in sorted(inputs, key=lambda file: file.name)
        },
        "query_count": sum(subsets.values()),
        "answer_pair_count": sum(row["answer_count"] for row in answers),
        "evidence_count": sum(1 for _ in read_lines(draft, EVIDENCE)),
        "subset_counts": dict(sorted(subsets.items())),
        "question_slots": slot_count,
        "seed": settings.seed,
        "raw_content_released": False,
    }


def _source_url(inputs: list[InputFile]) -> str:
    """A name of the inputs that holds wherever they lie: the hash of their hashes."""
    digest = hashlib.sha256()
    for file in sorted(inputs, key=lambda file: file.name):
        digest.update(f"{file.name} {file.sha256}\n".encode())
    return f"urn:sha256:{digest.hexdigest()}"
