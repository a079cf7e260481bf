"""The rules of a release: its files are read back, and the first broken rule is named."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema

from dagster_defs.outputs.layout import (
    ANSWERS,
    EVIDENCE,
    FILE_SCHEMAS,
    MANIFEST,
    MAX_STRING,
    QRELS,
    QRELS_HEADER,
    QUERIES,
    Row,
)

# Keys that a text of a source would stand under.
RAW_KEYS = {"text", "content", "caption", "sentence", "raw", "raw_text", "review", "tip", "label"}
PHOTO_SUFFIX = re.compile(r"\.(?:jpe?g|png|webp|gif)\b", re.IGNORECASE)
PHOTO_STEM = re.compile(r"[A-Za-z0-9_-]{8,128}")


class ReleaseError(Exception):
    """The release breaks a rule of its layout; the message names file, line and rule."""


@dataclass(frozen=True)
class Secrets:
    """Paths and photo names that no released string may hold.

    paths: folders of this machine that the build reads or writes
    photo_ids: photos of the collection, whose files are named by them
    """

    paths: Sequence[str] = ()
    photo_ids: Set[str] = frozenset()

    def find(self, text: str) -> str | None:
        """The kind of secret that the text holds, in words; None when it holds none."""
        for path in self.paths:
            if re.search(rf"(?<![\w.-]){re.escape(path)}(?![\w-])", text):
                return "a local path"
        for suffix in PHOTO_SUFFIX.finditer(text):
            starts = (match.start() for match in re.finditer(r"(?<!\w)\S", text[: suffix.start()]))
            if any(text[start : suffix.start()] in self.photo_ids for start in starts):
                return "a photo's file name"
        return None


def validate_release(folder: Path, secrets: Secrets | None = None) -> None:
    """Read a release back and check every rule of its layout. Raises ReleaseError for the first."""
    secrets = secrets or Secrets()
    rows = {file: list(read_lines(folder, file)) for file in FILE_SCHEMAS}
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


def read_lines(folder: Path, file: str) -> Iterator[Row]:
    """The objects of a file of JSON lines. Raises ReleaseError for a line that is none."""
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
