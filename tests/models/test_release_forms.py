"""The forms in which an imported release is read, and the files that are no release."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from dagster_defs.inputs.files import describe_inputs
from tests.support.small_release import (
    ANSWER_SETS,
    ANSWERS,
    MODELS,
    QRELS,
    QUERIES,
    VARIABLES,
    edited,
    problems,
    stage,
    whole_release,
    write,
)
from tests.support.small_repo import SmallRepo
from udfs.warehouse.collection import release_files
from udfs.warehouse.errors import UserError
from udfs.warehouse.settings import Settings

GZIP = b"\x1f\x8b"


def crlf(folder: Path) -> None:
    write(folder, whole_release(), end="\r\n")


def byte_order_marks(folder: Path) -> None:
    for file in VARIABLES:
        (folder / file).write_bytes(b"\xef\xbb\xbf" + (folder / file).read_bytes())


def compressed(folder: Path) -> None:
    for file in VARIABLES:
        (folder / f"{file}.gz").write_bytes(gzip.compress((folder / file).read_bytes()))
        (folder / file).unlink()


def blank_lines(folder: Path) -> None:
    write(folder, {file: ["", *lines, " ", ""] for file, lines in whole_release().items()})


def no_last_line_break(folder: Path) -> None:
    for file in VARIABLES:
        (folder / file).write_bytes((folder / file).read_bytes().rstrip())


def other_keys_in_any_order(folder: Path) -> None:
    lines = whole_release()
    for file in (QUERIES, ANSWERS):
        rows = [json.loads(line) | {"more": [1, {"x": None}]} for line in lines[file]]
        lines[file] = [json.dumps(dict(reversed(row.items()))) for row in rows]
    write(folder, lines)


def numbers_as_ids(folder: Path) -> None:
    lines = whole_release()
    edited(QUERIES, 1, qid=1)(lines)
    edited(ANSWERS, 1, qid=1)(lines)
    write(folder, lines)


@pytest.mark.parametrize(
    "form",
    [
        lambda folder: None,
        crlf,
        byte_order_marks,
        compressed,
        blank_lines,
        no_last_line_break,
        other_keys_in_any_order,
        numbers_as_ids,
    ],
)
def test_a_whole_release_is_read_in_every_form(
    form: Callable[[Path], None], tmp_path: Path
) -> None:
    form(write(tmp_path, whole_release()))
    connection = stage(tmp_path)
    assert problems(connection) == []
    questions = connection.execute(
        "select * exclude (vector_key) from imported_questions order by qid"
    ).fetchall()
    assert questions == [
        ("1", "S+T", "Which of 1?", 2),
        ("g-2", "S+G", "Which of g-2?", 1),
        ("é 3", "S+T,P", "Which of é 3?", 2),
    ]
    answers = connection.execute("from imported_answers order by qid, rank").fetchall()
    assert answers == [
        (qid, record_id, rank)
        for qid, ids in ANSWER_SETS.items()
        for rank, record_id in enumerate(ids, start=1)
    ]


def test_what_the_csv_module_writes_is_read(tmp_path: Path) -> None:
    lines = whole_release()
    folder = write(tmp_path, lines)
    with (folder / QRELS).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(["query-id", "corpus-id", "score"])
        writer.writerows((qid, id_, 1) for qid, ids in ANSWER_SETS.items() for id_ in ids)
    assert problems(stage(folder)) == []


def test_without_a_release_there_is_nothing_and_nothing_wrong(tmp_path: Path) -> None:
    connection = stage(write(tmp_path, {file: [] for file in VARIABLES}))
    for model in MODELS:
        assert connection.execute(f"select count(*) from {model}").fetchone() == (0,)


def test_the_folder_of_a_release(tmp_path: Path) -> None:
    assert release_files(Settings.from_env({})) == {}
    settings = Settings.from_env({"HETERQA_RELEASE": str(tmp_path / "none")})
    with pytest.raises(UserError, match=r"HETERQA_RELEASE: there is no folder .*/none; give the"):
        release_files(settings)
    folder = write(tmp_path / "one", whole_release())
    settings = Settings.from_env({"HETERQA_RELEASE": str(folder)})
    assert release_files(settings)["release_qrels"] == folder / QRELS
    assert Settings.from_env(settings.to_env()) == settings
    (folder / QRELS).unlink()
    with pytest.raises(UserError, match=r"one lacks data/qrels/test\.tsv; give the folder of a"):
        release_files(settings)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"{}\ncaf\xe9\n", r"queries\.jsonl, line 2: byte 4 is not UTF-8; save the file as UTF-8"),
        (
            gzip.compress(b"{}\ncaf\xe9\n", mtime=0),
            r"queries\.jsonl\.gz, line 2: byte 4 is not UTF-8",
        ),
        (
            gzip.compress(b"{}\n" * 99, mtime=0)[:-9],
            r"queries\.jsonl\.gz is damaged or cut off \(compressed",
        ),
        (GZIP + b"no gzip file", r"queries\.jsonl\.gz is damaged or cut off \(unknown"),
    ],
)
def test_a_file_that_is_no_text_is_named(
    content: bytes, sentence: str, small_repo: SmallRepo, tmp_path: Path
) -> None:
    folder = write(tmp_path / "release", whole_release())
    (folder / QUERIES).unlink()
    is_compressed = content.startswith(GZIP)
    (folder / (f"{QUERIES}.gz" if is_compressed else QUERIES)).write_bytes(content)
    settings = Settings.from_env(
        {
            "HETERQA_DATA": str(small_repo.data),
            "HETERQA_RELEASE": str(folder),
            "HETERQA_WAREHOUSE": str(tmp_path),
        }
    )
    with pytest.raises(UserError, match=sentence):
        describe_inputs(settings)
