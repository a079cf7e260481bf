"""What is wrong with an imported release is said by file and line, and all of it at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.render import MacroError
from tests.support.small_release import (
    ANSWERS,
    QRELS,
    QUERIES,
    Lines,
    added,
    assert_begin,
    edited,
    problems,
    removed,
    replaced,
    stage,
    whole_release,
    write,
)

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
