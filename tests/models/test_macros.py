"""Macros as SQL: constraints, words, requests, nearest candidates, recovery."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import pytest

from tests.support.render import MacroError, render

Query = Callable[..., Any]


# Constraints


@pytest.mark.parametrize(
    ("value", "operator", "wanted", "is_met"),
    [
        ("free", "=", "free", True),
        ("free", "=", "no", False),
        ("Free", "=", "free", False),
        ("10", ">=", "9", True),
        ("4.0", ">=", "4", True),
        ("3.5", ">=", "4", False),
        ("2", "<=", "2", True),
        ("10", "<=", "9", False),
        ("many", ">=", "4", None),
        (None, "=", "free", None),
        ("free", "like", "free", None),
    ],
)
def test_meets(
    query: Query, value: str | None, operator: str, wanted: str, is_met: bool | None
) -> None:
    assert query("{{ meets('$1', '$2', '$3') }}", value, operator, wanted) is is_met


# Words and requests


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("Café déjà-vu 24/7!", ["café", "déjà", "vu", "24", "7"]),
        ("Cafe\u0301", ["café"]),
        ("東京 bar", ["東", "京", "bar"]),
        ("...", []),
        ("", []),
    ],
)
def test_words(query: Query, content: str, words: list[str]) -> None:
    assert query("{{ words('$1') }}", content) == words


def test_request_key_covers_role_and_input() -> None:
    connection = duckdb.connect()
    connection.execute("create macro model_signature(role, task) as role || task || ' v1'")
    sql = render(
        "select {{ request_key('judge', ['claim', 'content']) }},"
        " {{ request_key('writer', ['claim', 'content']) }}"
        " from (values ('a', 'b'), ('a', 'c'), ('ab', ''), ('', 'ab'), (null, 'ab'))"
        " as requests (claim, content)"
    )
    keys = [key for row in connection.execute(sql).fetchall() for key in row]
    assert len(set(keys)) == len(keys) == 10
    changed = "create or replace macro model_signature(role, task) as role || task || ' v2'"
    connection.execute(changed)
    assert not set(keys) & {key for row in connection.execute(sql).fetchall() for key in row}


# The nearest candidates of a query


CANDIDATES = [
    ("q1", "far", 0.1, True),
    ("q1", "öl", 0.5, False),
    ("q1", "oil", 0.5, False),
    ("q1", "near", 0.9, False),
    ("q1", "unknown", None, False),
    ("q2", "near", 0.5, False),
]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", ["q1 near", "q2 near"]),
        (", most=3", ["q1 near", "q1 oil", "q1 öl", "q2 near"]),
        (", most=2", ["q1 near", "q1 oil", "q2 near"]),
        (", most=9, least=0.5", ["q1 near", "q1 oil", "q1 öl", "q2 near"]),
        (", most=9, least=0.6", ["q1 near"]),
        (", most=2, least=0.6, always='is_origin'", ["q1 far", "q1 near"]),
        (", most=\"if(query = 'q2', 0, 1)\"", ["q1 near"]),
        (", most=9", ["q1 far", "q1 near", "q1 oil", "q1 unknown", "q1 öl", "q2 near"]),
    ],
)
def test_nearest_candidates(arguments: str, expected: list[str]) -> None:
    nearest = "{{ nearest('candidates', query=['query'], key='candidate'" + arguments + ") }}"
    connection = duckdb.connect()
    connection.execute(
        "create table candidates (query text, candidate text, similarity double, is_origin bool)"
    )
    connection.executemany("insert into candidates values (?, ?, ?, ?)", CANDIDATES)
    found = connection.execute(render(nearest)).fetchall()
    assert sorted(f"{query} {candidate}" for query, candidate, *_ in found) == expected


# Recovery


@pytest.mark.parametrize(
    ("sentence", "denies"),
    [
        ("There is no wifi.", True),
        ("They don\u2019t take cards.", True),
        ("NOT FOR KIDS", True),
        ("Nobody knows the notes.", False),
        ("I know a knot.", False),
        ("", False),
    ],
)
def test_words_that_deny(query: Query, sentence: str, denies: bool) -> None:
    negations = "(select list(word) from read_csv('seeds/negations.csv') where reads != 'rules')"
    denial = f"""{{{{ has_negation('$1::varchar', "{negations}") }}}}"""
    assert query(denial, sentence) is denies


def test_a_confidence_weighs_its_log_odds(query: Query) -> None:
    weights = [query("{{ evidence_weight('$1::double') }}", tenth / 10) for tenth in range(11)]
    assert weights[0] == 0
    assert weights == sorted(weights)
    # As far from a half to each side, as much apart; and no confidence weighs without bounds.
    assert weights[10] == pytest.approx(2 * weights[5], abs=2e-4)
    assert weights[9] - weights[5] == pytest.approx(weights[5] - weights[1], abs=2e-4)
    assert weights[10] == pytest.approx(7.07, abs=0.01)
    assert weights[5] == pytest.approx(3.54, abs=0.01)


@pytest.mark.parametrize(
    ("right", "count", "pooled", "precision"),
    [(0, 0, 0.9, 0.9), (4, 4, 0.9, 0.9167), (0, 1, 0.9, 0.8571), (190, 200, 0.8, 0.9364)],
)
def test_few_values_borrow_from_all_fields(
    query: Query, right: int, count: int, pooled: float, precision: float
) -> None:
    few = "{{ pooled_precision('$1', '$2', '$3::double') }}"
    assert query(few, right, count, pooled) == precision
    assert query(few, right, count, None) is None


@pytest.mark.parametrize(
    ("false_count", "unknown_count", "recovered_count", "modes"),
    [
        (0, 0, 0, {"none", "all", "any"}),
        (0, 0, 1, {"all", "any"}),
        (0, 1, 1, {"any"}),
        (0, 1, 0, set()),
        (1, 0, 1, set()),
        (1, 1, 1, set()),
    ],
)
def test_who_is_a_candidate(
    query: Query, false_count: int, unknown_count: int, recovered_count: int, modes: set[str]
) -> None:
    counts = (
        f" from (select {false_count} as false_count, {unknown_count} as unknown_count,"
        f" {recovered_count} as recovered_count) as counts"
    )
    lets_in = {
        mode
        for mode in ("none", "all", "any")
        if query("{{ is_candidate('" + mode + "', 'counts') }}" + counts)
    }
    assert lets_in == modes


def test_another_mode_of_recovery_is_refused(query: Query) -> None:
    with pytest.raises(MacroError, match="recovery is 'some': it can be all, any or none"):
        query("{{ is_candidate('some', 'counts') }}")


def test_a_photo_judgement_depends_on_what_the_file_holds() -> None:
    connection = duckdb.connect()
    connection.execute("create macro model_signature(role, task) as role || task")
    connection.execute("create table stg_photo_files (photo_id varchar, content_hash varchar)")
    sql = render(
        "select {{ judge_key('support', 'channel', 'claim', 'content', 'source_id') }}"
        " from (values ('photo', 'p1'), ('photo', 'p2'), ('text', 'p1'))"
        " as evidence (channel, source_id) cross join (select 'It is old.' as claim, '' as content)"
    )

    def keys(*files: tuple[str, str | None]) -> list[str]:
        connection.execute("delete from stg_photo_files")
        for file in files:
            connection.execute("insert into stg_photo_files values (?, ?)", file)
        return [key for (key,) in connection.execute(sql).fetchall()]

    absent, first = keys(("p1", None)), keys(("p1", "h1"), ("p2", "h1"))
    assert len({*absent, *first}) == 5
    assert absent == keys() and absent[2] == first[2]
    replaced = keys(("p1", "h2"), ("p2", "h1"))
    assert [a == b for a, b in zip(first, replaced, strict=True)] == [False, True, True]
