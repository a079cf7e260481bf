"""The release files: written from a warehouse, read back and checked, then put in place.

The layout is that of the HeterQA release, which its authors' validator accepts.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import jsonschema

from udfs.warehouse.folders import replace_folder
from udfs.warehouse.inputs import InputFile, read_inputs
from udfs.warehouse.places import REPO
from udfs.warehouse.settings import Settings

MAX_STRING = 1400
QRELS_HEADER = ["query-id", "corpus-id", "score"]
QUERIES = "data/queries.jsonl"
ANSWERS = "data/answers.jsonl"
EVIDENCE = "data/evidence.jsonl"
QRELS = "data/qrels/test.tsv"
MANIFEST = "data/source_manifest.json"

Row = dict[str, Any]

# Each file's columns, in their order, and the total order of its rows.
TABLES = {
    QUERIES: ("release.queries", ["qid", "query", "subset", "answer_count"], "qid"),
    ANSWERS: (
        "release.answers",
        [
            "qid",
            "answer_business_ids",
            "answer_business_names",
            "answer_count",
            "source_case_category",
        ],
        "qid",
    ),
    EVIDENCE: (
        "release.evidence",
        [
            "qid",
            "business_id",
            "family",
            "support_status",
            "claim_summary",
            "source_locator_type",
            "source_locator",
            "verification_method",
            "confidence",
            "raw_content_released",
            "details",
        ],
        "all",
    ),
}

_TEXT = {"type": "string", "minLength": 1, "maxLength": MAX_STRING}
_COUNT = {"type": "integer", "minimum": 1, "maximum": 10}
_FAMILIES = ["record_field", "text", "image", "geo", "kg", "cross_modal"]


def _schema(title: str, properties: dict[str, Any]) -> Row:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "type": "object",
        "required": list(properties),
        "additionalProperties": False,
        "properties": properties,
    }


SCHEMAS = {
    "schemas/query.schema.json": _schema(
        "A question", {"qid": _TEXT, "query": _TEXT, "subset": _TEXT, "answer_count": _COUNT}
    ),
    "schemas/answer.schema.json": _schema(
        "The answers of a question, from the highest score down",
        {
            "qid": _TEXT,
            "answer_business_ids": {"type": "array", "minItems": 1, "items": _TEXT},
            "answer_business_names": {"type": "array", "minItems": 1, "items": {"type": "string"}},
            "answer_count": _COUNT,
            "source_case_category": _TEXT,
        },
    ),
    "schemas/evidence.schema.json": _schema(
        "One piece of evidence that an answer meets one requirement of its question",
        {
            "qid": _TEXT,
            "business_id": _TEXT,
            "family": {"enum": _FAMILIES},
            "support_status": {"enum": ["passes", "supports"]},
            "claim_summary": _TEXT,
            "source_locator_type": _TEXT,
            "source_locator": _TEXT,
            "verification_method": _TEXT,
            "confidence": {"type": "number"},
            "raw_content_released": {"const": False},
            "details": {"type": ["object", "array", "string", "null"]},
        },
    ),
}
FILE_SCHEMAS = {
    QUERIES: "schemas/query.schema.json",
    ANSWERS: "schemas/answer.schema.json",
    EVIDENCE: "schemas/evidence.schema.json",
}

# Keys under which somebody would put the text of a source.
RAW_KEYS = {"text", "content", "caption", "sentence", "raw", "raw_text", "review", "tip", "label"}
PHOTO_SUFFIX = re.compile(r"\.(?:jpe?g|png|webp|gif)\b", re.IGNORECASE)
PHOTO_STEM = re.compile(r"[A-Za-z0-9_-]{8,128}")


class ReleaseError(Exception):
    """The release breaks a rule of its layout; the message names file, line and rule."""


@dataclass(frozen=True)
class Secrets:
    """What no released string may hold, whatever it looks like otherwise.

    paths: folders of this machine that the build reads or writes
    photo_ids: photos of the collection, whose files are named by them
    """

    paths: Sequence[str] = ()
    photo_ids: Set[str] = frozenset()

    def find(self, text: str) -> str | None:
        """What the text gives away, in words; None when it is nothing."""
        for path in self.paths:
            if re.search(rf"(?<![\w.-]){re.escape(path)}(?![\w-])", text):
                return "a local path"
        for suffix in PHOTO_SUFFIX.finditer(text):
            starts = (match.start() for match in re.finditer(r"(?<!\w)\S", text[: suffix.start()]))
            if any(text[start : suffix.start()] in self.photo_ids for start in starts):
                return "a photo's file name"
        return None


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
        for file, (table, columns, order) in TABLES.items():
            _write_lines(draft / file, _read_rows(connection, table, columns, order))
        pairs = connection.execute(
            "select qid, record_id, score from release.qrels order by qid, record_id"
        ).fetchall()
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


def validate_release(folder: Path, secrets: Secrets | None = None) -> None:
    """Read a release back and check every rule of its layout. Raises ReleaseError for the first."""
    secrets = secrets or Secrets()
    rows = {file: list(_read_lines(folder, file)) for file in TABLES}
    for file, schema_file in FILE_SCHEMAS.items():
        _check_rows(folder, file, schema_file, rows[file], secrets)
    questions = {row["qid"]: row for row in rows[QUERIES]}
    answers = {row["qid"]: row for row in rows[ANSWERS]}
    _require_unique(QUERIES, [row["qid"] for row in rows[QUERIES]])
    _require_unique(ANSWERS, [row["qid"] for row in rows[ANSWERS]])
    if questions.keys() != answers.keys():
        odd = min(questions.keys() ^ answers.keys())
        raise ReleaseError(f"{ANSWERS}: question {odd} is not in both {QUERIES} and {ANSWERS}")

    pairs = set()
    for qid, row in answers.items():
        ids = row["answer_business_ids"]
        counts = {len(ids), len(row["answer_business_names"]), row["answer_count"]}
        counts |= {len(set(ids)), questions[qid]["answer_count"]}
        if len(counts) > 1:
            raise ReleaseError(f"{ANSWERS}: the answer counts of {qid} disagree: {sorted(counts)}")
        if row["source_case_category"] != questions[qid]["subset"]:
            raise ReleaseError(f"{ANSWERS}: the subset of {qid} is not that of the question")
        pairs |= {(qid, record_id) for record_id in ids}

    _check_qrels(folder, pairs)
    _check_evidence(rows[EVIDENCE], pairs)
    _check_manifest(folder, len(questions), len(pairs), secrets)


def _draft_folder(settings: Settings) -> Path:
    return settings.warehouse / ".release.new"


def _read_rows(
    connection: duckdb.DuckDBPyConnection, table: str, columns: list[str], order: str
) -> Iterator[Row]:
    result = connection.execute(f"select {', '.join(columns)} from {table} order by {order}")
    is_json = [str(column[1]) == "JSON" for column in result.description or []]
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
    subsets = Counter(row["subset"] for row in _read_lines(draft, QUERIES))
    answers = list(_read_lines(draft, ANSWERS))
    return {
        "source_url": _source_url(inputs),
        "source_name": "sample city" if settings.is_sample_city else "collection of records",
        "source_files": {
            file.name: {"sha256": file.sha256, "bytes": file.size, "lines": file.lines}
            for file in sorted(inputs, key=lambda file: file.name)
        },
        "query_count": sum(subsets.values()),
        "answer_pair_count": sum(row["answer_count"] for row in answers),
        "evidence_count": sum(1 for _ in _read_lines(draft, EVIDENCE)),
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


def _read_lines(folder: Path, file: str) -> Iterator[Row]:
    with (folder / file).open(encoding="utf-8", newline="\n") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
            except ValueError:
                raise ReleaseError(f"{file}, line {number}: is not JSON") from None
            if not isinstance(row, dict):
                raise ReleaseError(f"{file}, line {number}: is not a JSON object")
            yield row


def _check_rows(
    folder: Path, file: str, schema_file: str, rows: list[Row], secrets: Secrets
) -> None:
    schema = json.loads((folder / schema_file).read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    for number, row in enumerate(rows, start=1):
        error = next(iter(validator.iter_errors(row)), None)
        if error is not None:
            raise ReleaseError(f"{file}, line {number}: {error.json_path} {error.message[:200]}")
        # Names of records are the collection's own and may look like anything.
        checked = {key: value for key, value in row.items() if key != "answer_business_names"}
        _check_strings(f"{file}, line {number}", checked, secrets)


def _check_strings(place: str, content: Any, secrets: Secrets) -> None:
    for key, text in _strings(content):
        if key in RAW_KEYS:
            raise ReleaseError(f"{place}: has a field '{key}', which would hold raw text")
        if len(text) > MAX_STRING:
            raise ReleaseError(f"{place}: a string of {len(text)} characters, over {MAX_STRING}")
        if secret := secrets.find(text):
            raise ReleaseError(f"{place}: {secret} in {key}: {text[:80]!r}")


def _strings(content: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every string of a JSON value with the key that it stands under."""
    if isinstance(content, str):
        yield key, content
    elif isinstance(content, dict):
        for name, value in content.items():
            yield from _strings(value, name)
    elif isinstance(content, list):
        for value in content:
            yield from _strings(value, key)


def _require_unique(file: str, keys: list[Any]) -> None:
    repeated = [key for key, count in Counter(keys).items() if count > 1]
    if repeated:
        raise ReleaseError(f"{file}: {repeated[0]} appears more than once")


def _check_qrels(folder: Path, pairs: set[tuple[str, str]]) -> None:
    with (folder / QRELS).open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file, delimiter="\t"))
    if not lines or lines[0] != QRELS_HEADER:
        raise ReleaseError(f"{QRELS}, line 1: the header is not {' '.join(QRELS_HEADER)}")
    for number, line in enumerate(lines[1:], start=2):
        if len(line) != len(QRELS_HEADER) or line[2] != "1":
            raise ReleaseError(f"{QRELS}, line {number}: is not a pair with score 1")
    judged = [(line[0], line[1]) for line in lines[1:]]
    _require_unique(QRELS, judged)
    if set(judged) != pairs:
        odd = min(set(judged) ^ pairs)
        raise ReleaseError(f"{QRELS}: the pair {odd} is not in both {QRELS} and {ANSWERS}")


def _check_evidence(rows: list[Row], pairs: set[tuple[str, str]]) -> None:
    _require_unique(EVIDENCE, [json.dumps(row, sort_keys=True) for row in rows])
    with_fields = set()
    for number, row in enumerate(rows, start=1):
        pair = (row["qid"], row["business_id"])
        if pair not in pairs:
            raise ReleaseError(f"{EVIDENCE}, line {number}: {pair} is not an answer")
        if row["family"] == "record_field":
            with_fields.add(pair)
        is_stem = row["source_locator_type"] == "photo_id_stem"
        if is_stem and not PHOTO_STEM.fullmatch(row["source_locator"]):
            raise ReleaseError(
                f"{EVIDENCE}, line {number}: a photo_id_stem is not 8-128 URL-safe characters"
            )
    if pairs - with_fields:
        raise ReleaseError(f"{EVIDENCE}: the answer {min(pairs - with_fields)} has no record_field")


def _check_manifest(folder: Path, query_count: int, pair_count: int, secrets: Secrets) -> None:
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    expected = {
        "query_count": query_count,
        "answer_pair_count": pair_count,
        "raw_content_released": False,
    }
    for key, value in expected.items():
        if manifest.get(key) != value:
            raise ReleaseError(f"{MANIFEST}: {key} is {manifest.get(key)!r}, not {value!r}")
    if not manifest.get("source_url"):
        raise ReleaseError(f"{MANIFEST}: source_url is missing")
    _check_strings(MANIFEST, manifest, secrets)
