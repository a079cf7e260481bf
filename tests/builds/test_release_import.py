"""An imported release: what is wrong with one is said by file and line, and all of it at once."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from dagster_defs.inputs.files import describe_inputs
from tests.support.render import MacroError, render_model
from tests.support.small_repo import SmallRepo
from udfs.plugin import set_variables
from udfs.warehouse.collection import release_files
from udfs.warehouse.errors import UserError
from udfs.warehouse.places import REPO
from udfs.warehouse.settings import Settings

QUERIES, ANSWERS, QRELS = "data/queries.jsonl", "data/answers.jsonl", "data/qrels/test.tsv"
VARIABLES = {QUERIES: "release_queries", ANSWERS: "release_answers", QRELS: "release_qrels"}
MODELS = (
    "stg_release_queries",
    "stg_release_answers",
    "stg_release_qrels",
    "release_problems",
    "imported_questions",
    "imported_answers",
)
# Ids as they come: numbers, quotes and other scripts.
ANSWER_SETS = {"1": ["r1", 'r"2'], "g-2": ["r1"], "é 3": ["寿司", "r1"]}
SUBSETS = {"1": "Text", "g-2": "KG", "é 3": "Text_Geo"}

GZIP = b"\x1f\x8b"

Lines = dict[str, list[str]]
Problem = tuple[str, int, str]


def whole_release() -> Lines:
    """The lines of a release with nothing wrong."""
    queries = [
        {"qid": qid, "query": f"Which of {qid}?", "subset": SUBSETS[qid], "answer_count": len(ids)}
        for qid, ids in ANSWER_SETS.items()
    ]
    answers = [
        {
            "qid": qid,
            "answer_business_ids": ids,
            "answer_business_names": ["A name"] * len(ids),
            "answer_count": len(ids),
            "source_case_category": SUBSETS[qid],
        }
        for qid, ids in ANSWER_SETS.items()
    ]
    pairs = [f"{qid}\t{ids}\t1" for qid in ANSWER_SETS for ids in map(quoted, ANSWER_SETS[qid])]
    return {
        QUERIES: [json.dumps(row) for row in queries],
        ANSWERS: [json.dumps(row) for row in answers],
        QRELS: ["query-id\tcorpus-id\tscore", *pairs],
    }


def quoted(field: str) -> str:
    """A field as the csv module writes it."""
    return '"' + field.replace('"', '""') + '"' if '"' in field else field


def write(folder: Path, lines: Lines, end: str = "\n") -> Path:
    (folder / "data" / "qrels").mkdir(parents=True, exist_ok=True)
    for file, content in lines.items():
        text = "".join(line + end for line in content)
        (folder / file).write_text(text, encoding="utf-8", newline="")
    return folder


def stage(release: Path, **variables: Any) -> duckdb.DuckDBPyConnection:
    """The staging tables of a release, over a collection of three records."""
    connection = duckdb.connect()
    seed = str(REPO / "seeds" / "subset_quotas.csv")
    connection.read_csv(seed).create("subset_quotas")
    connection.execute(
        "create table stg_businesses as select unnest(['r1', 'r\"2', '寿司']) as business_id"
    )
    files = release_files(Settings.from_env({"HETERQA_RELEASE": str(release)}))
    connection.execute("create macro model_signature(role, task) as role || task")
    set_variables(connection, {f"input_{name}": str(path) for name, path in files.items()})
    for model in MODELS:
        sql = render_model(model, **variables)
        connection.execute(f"create table {model} as {sql}")
    return connection


def problems(connection: duckdb.DuckDBPyConnection) -> list[Problem]:
    query = "select file, line_number, problem from release_problems where is_fatal order by all"
    return connection.execute(query).fetchall()


def edited(file: str, number: int, **changes: Any) -> Callable[[Lines], None]:
    """An edit of a release: other members of one line; None removes one."""

    def edit(lines: Lines) -> None:
        row = json.loads(lines[file][number - 1]) | changes
        row = {key: value for key, value in row.items() if value is not None}
        lines[file][number - 1] = json.dumps(row)

    return edit


def replaced(file: str, number: int, line: str) -> Callable[[Lines], None]:
    def edit(lines: Lines) -> None:
        lines[file][number - 1] = line

    return edit


def added(file: str, line: str) -> Callable[[Lines], None]:
    return lambda lines: lines[file].append(line)


def removed(file: str, number: int) -> Callable[[Lines], None]:
    return lambda lines: lines[file].__delitem__(number - 1)


FAULTS: dict[str, tuple[Callable[[Lines], None], list[tuple[str, int, str]]]] = {
    "no JSON": (
        replaced(QUERIES, 2, '{"qid": "g-2"'),
        [(QUERIES, 2, "is not JSON; repair or remove the line")],
    ),
    "no object": (
        replaced(ANSWERS, 2, '["g-2"]'),
        [(ANSWERS, 2, "is not a JSON object; repair or remove the line")],
    ),
    "a blank question": (
        edited(QUERIES, 1, query=" "),
        [(QUERIES, 1, "has no query; repair or remove the line")],
    ),
    "a question that is no text": (
        edited(QUERIES, 1, query=["Which?"]),
        [(QUERIES, 1, "has a query that is no string; repair or remove the line")],
    ),
    "a qid that is no text": (
        edited(ANSWERS, 1, qid={"is": 1}),
        [(ANSWERS, 1, "has a qid that is no string; repair or remove the line")],
    ),
    "no count": (
        edited(ANSWERS, 1, answer_count=None),
        [(ANSWERS, 1, "has no answer_count; repair or remove the line")],
    ),
    "a question twice": (
        lambda lines: lines[QUERIES].append(lines[QUERIES][0]),
        [(QUERIES, 4, "repeats the qid '1' of line 1; keep one of them")],
    ),
    "answers twice": (
        lambda lines: lines[ANSWERS].append(lines[ANSWERS][1]),
        [
            (ANSWERS, 2, "lists the answer 'r1' of 'g-2' twice; name it once"),
            (ANSWERS, 4, "repeats the qid 'g-2' of line 2; keep one of them"),
        ],
    ),
    "an unknown subset": (
        edited(QUERIES, 1, subset="Smell"),
        [(QUERIES, 1, "has the subset 'Smell'; make it one of Geo, Geo_Image, Geo_KG, Geo_Text,")],
    ),
    "an empty answer set": (
        lambda lines: [
            edited(ANSWERS, 2, answer_business_ids=[], answer_business_names=[], answer_count=0)(
                lines
            ),
            edited(QUERIES, 2, answer_count=0)(lines),
            removed(QRELS, 4)(lines),
        ],
        [(ANSWERS, 2, "lists no answer of 'g-2'; name one, or remove the question from every")],
    ),
    "an answer twice": (
        edited(ANSWERS, 1, answer_business_ids=["r1", "r1", 'r"2'], answer_business_names=None),
        [
            (ANSWERS, 1, "has the answer_count 2 for '1' and lists 3; make them agree"),
            (ANSWERS, 1, "lists the answer 'r1' of '1' twice; name it once"),
            (QUERIES, 1, "has the answer_count 2 for '1', and data/answers.jsonl, line 1, lists"),
        ],
    ),
    "answers that are no list": (
        edited(ANSWERS, 2, answer_business_ids="r1"),
        [(ANSWERS, 2, "has answer_business_ids that are no list of strings; repair or remove")],
    ),
    "an answer that is no text": (
        edited(ANSWERS, 2, answer_business_ids=[None]),
        [(ANSWERS, 2, "has answer_business_ids that are no list of strings; repair or remove")],
    ),
    "a wrong count of a question": (
        edited(QUERIES, 3, answer_count=1),
        [
            (
                QUERIES,
                3,
                "has the answer_count 1 for 'é 3', and data/answers.jsonl, line 3, lists 2; make",
            )
        ],
    ),
    "a wrong count of answers": (
        edited(ANSWERS, 3, answer_count=3),
        [(ANSWERS, 3, "has the answer_count 3 for 'é 3' and lists 2; make them agree")],
    ),
    "a count in words": (
        edited(ANSWERS, 3, answer_count="two"),
        [(ANSWERS, 3, "has the answer_count of no whole number for 'é 3' and lists 2; make")],
    ),
    "too few names": (
        edited(ANSWERS, 1, answer_business_names=["A name"]),
        [(ANSWERS, 1, "has 2 ids and 1 names for '1'; give each id its name")],
    ),
    "a question without answers": (
        lambda lines: [removed(ANSWERS, 2)(lines), removed(QRELS, 4)(lines)],
        [(QUERIES, 2, "has the qid 'g-2', which data/answers.jsonl lacks; add it there, or")],
    ),
    "answers without a question": (
        removed(QUERIES, 2),
        [(ANSWERS, 2, "has the qid 'g-2', which data/queries.jsonl lacks; add it there, or")],
    ),
    "a pair too few": (
        removed(QRELS, 6),
        [(ANSWERS, 3, "lists the answer 'r1' of 'é 3', which data/qrels/test.tsv lacks; add the")],
    ),
    "a pair too many": (
        added(QRELS, "q9\tr1\t1"),
        [(QRELS, 7, "has the pair 'q9', 'r1', which is no answer in data/answers.jsonl; correct")],
    ),
    "a pair twice": (
        lambda lines: lines[QRELS].append(lines[QRELS][2]),
        [(QRELS, 7, "repeats the pair '1', 'r\"2' of line 3; keep one of them")],
    ),
    "no header": (
        removed(QRELS, 1),
        [(QRELS, 1, "is not the header query-id, corpus-id, score, with tabs between; add it")],
    ),
    "another header": (
        replaced(QRELS, 1, "qid\tdocid\trel"),
        [(QRELS, 1, "is not the header query-id, corpus-id, score, with tabs between; add it")],
    ),
    "a score of 2": (
        replaced(QRELS, 2, "1\tr1\t2"),
        [(QRELS, 2, "has the score '2', which can only be 1; repair or remove the line")],
    ),
    "spaces for tabs": (
        replaced(QRELS, 2, "1 r1 1"),
        [(QRELS, 2, "is not a query-id, a corpus-id and a score, with tabs between; repair")],
    ),
    "a missing record": (
        lambda lines: [
            edited(ANSWERS, 2, answer_business_ids=["gone"])(lines),
            replaced(QRELS, 4, "g-2\tgone\t1")(lines),
        ],
        [(ANSWERS, 2, "lists the answer 'gone' of 'g-2', which this collection lacks; use the")],
    ),
}


def assert_begin(found: list[Problem], expected: list[Problem]) -> None:
    assert [problem[:2] for problem in found] == [problem[:2] for problem in expected], found
    for (_, _, text), (_, _, start) in zip(found, expected, strict=True):
        assert text.startswith(start)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_by_file_and_line_and_nothing_else_is(fault: str, tmp_path: Path) -> None:
    lines = whole_release()
    edit, expected = FAULTS[fault]
    edit(lines)
    assert_begin(problems(stage(write(tmp_path, lines))), expected)


def test_all_faults_are_listed_together(tmp_path: Path) -> None:
    lines = whole_release()
    for fault in ("a missing record", "a wrong count of answers", "an unknown subset"):
        FAULTS[fault][0](lines)
    lines[QUERIES].append("{")
    files = [(file, number) for file, number, _ in problems(stage(write(tmp_path, lines)))]
    assert files == [(ANSWERS, 2), (ANSWERS, 3), (QUERIES, 1), (QUERIES, 4)]


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


def test_line_numbers_count_blank_lines(tmp_path: Path) -> None:
    lines = whole_release()
    lines[QUERIES] = ["", "", "{", *lines[QUERIES]]
    assert_begin(problems(stage(write(tmp_path, lines))), [(QUERIES, 3, "is not JSON")])


def test_questions_about_missing_records_can_be_skipped(tmp_path: Path) -> None:
    lines = whole_release()
    FAULTS["a missing record"][0](lines)
    connection = stage(write(tmp_path, lines), release_missing="skip")
    assert problems(connection) == []
    assert connection.execute("select qid, kind from release_problems").fetchall() == [
        ("g-2", "missing record")
    ]
    for table in ("imported_questions", "imported_answers"):
        found = connection.execute(f"select distinct qid from {table} order by qid").fetchall()
        assert found == [("1",), ("é 3",)]
    with pytest.raises(MacroError, match="release_missing is 'never': make it stop or skip"):
        stage(tmp_path, release_missing="never")


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
        (gzip.compress(b"{}\ncaf\xe9\n"), r"queries\.jsonl\.gz, line 2: byte 4 is not UTF-8"),
        (
            gzip.compress(b"{}\n" * 99)[:-9],
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
