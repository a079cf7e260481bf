"""Another collection: a folder in the layout is enough, and a catalogue makes it read better."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.builds import build
from tests.support.trails import CATALOGUE, FIELDS, TRAILS, write_trails

QUESTIONS = "12"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trails")
    write_trails(folder)
    return folder


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory, data: Path) -> Path:
    """A build without a catalogue."""
    folder = tmp_path_factory.mktemp("trails_warehouse")
    build(folder, data, HETERQA_QUESTIONS=QUESTIONS)
    return folder


def rows(warehouse: Path, query: str) -> list[Any]:
    with duckdb.connect(warehouse / "heterqa.duckdb", read_only=True) as connection:
        return connection.execute(query).fetchall()


def test_a_folder_is_enough(warehouse: Path) -> None:
    catalog = {
        row[0]: row[1:]
        for row in rows(
            warehouse,
            """
        select field, tier, kind, attribute_key, claim from sources.field_catalog
    """,
        )
    }
    assert set(catalog) == FIELDS | {"stars", "is_open"}
    assert catalog["fire_pit"] == ("supplementary", "boolean", "Fire Pit", "It has a fire pit.")
    assert catalog["length_km"][:3] == ("supplementary", "number", "LengthKm")
    assert re.fullmatch(r"It has a length of at least [\d.]+ km\.", catalog["length_km"][3])
    assert catalog["water_lake"][2:] == ("Water.Lake", "It has lake water.")
    assert catalog["remark"] == ("supplementary", "text", "Remark", None)
    columns = {
        name
        for (name,) in rows(
            warehouse,
            """
        select column_name from information_schema.columns
        where table_schema = 'sources' and table_name = 'records'
    """,
        )
    }
    assert columns >= FIELDS
    assert rows(warehouse, "select count(*) from sources.records") == [(TRAILS,)]
    assert rows(warehouse, "select count(*) from construction.certified_questions")[0][0] >= 6
    hits = rows(warehouse, "select sum(value) from evaluation.leaderboard where metric = 'hit@5'")
    assert hits[0][0] > 0


def test_a_long_text_is_read_in_passages(warehouse: Path) -> None:
    """It is one entry of the corpus, and is judged a passage at a time."""
    long = "text:trail-00-review-0"
    assert rows(
        warehouse,
        f"""
        select count(*), max(length(content)) > 2000 from retrieval.corpus_entries
        where entry_id = '{long}'
    """,
    ) == [(1, True)]
    (passages, vectors), *_ = rows(
        warehouse,
        f"""
        select
            (select count(*) from sources.passages where 'text:' || text_id = '{long}'),
            (select count(*) from vectors.entry_vectors where entry_id = '{long}')
    """,
    )
    assert passages == vectors >= 3
    assert (
        rows(
            warehouse,
            """
        select evidence_id from construction.support_evidence
        group by part_id, record_id, evidence_id having count(*) > 1
    """,
        )
        == []
    )
    for table in ("recovery_evidence", "support_evidence", "contradiction_evidence"):
        assert rows(
            warehouse,
            f"""
            select max(strlen(content)) <= 900 from construction.{table} where channel = 'text'
        """,
        ) == [(True,)]


def test_a_catalogue_words_the_questions(warehouse: Path, data: Path, tmp_path: Path) -> None:
    catalogue = tmp_path / "trails.csv"
    catalogue.write_text(CATALOGUE + "lenght_km,core\n", encoding="utf-8")
    output = build(warehouse, data, HETERQA_QUESTIONS=QUESTIONS, HETERQA_FIELDS=str(catalogue))
    assert "sources_catalogue_fields" in output

    catalog = dict(
        rows(warehouse, "select field, [tier, weight::varchar, claim] from sources.field_catalog")
    )
    assert catalog["difficulty"] == ["core", "2.0", "It is an easy walk."]
    assert catalog["dogs_allowed"] == ["high_value", "1.2", "It lets dogs come along."]
    assert catalog["surface"][:2] == ["supplementary", "0.8"]
    assert re.fullmatch(r"It is at least [\d.]+ km long\.", catalog["length_km"][2])

    questions = [question for (question,) in rows(warehouse, "select query from release.queries")]
    assert len(questions) >= 6
    assert all(re.search(r"\btrails?\b", question) for question in questions), questions
    assert not any("place" in question for question in questions), questions
    asked = {
        field
        for (field,) in rows(
            warehouse,
            """
        select field from construction.field_constraints
        inner join construction.certified_questions using (attempt_id)
    """,
        )
    }
    assert asked & {"length_km", "difficulty", "dogs_allowed"}
