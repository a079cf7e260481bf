"""A small release with nothing wrong, edits that break it, and what staging makes of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb

from tests.support.render import render_model
from udfs.plugin import set_variables
from udfs.warehouse.collection import release_files
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


def assert_begin(found: list[Problem], expected: list[Problem]) -> None:
    assert [problem[:2] for problem in found] == [problem[:2] for problem in expected], found
    for (_, _, text), (_, _, start) in zip(found, expected, strict=True):
        assert text.startswith(start)
