"""The SQL functions: purity, errors of one row, and the structs of their answers."""

from __future__ import annotations

import json

import duckdb
import numpy as np
import pytest

from tests.support.embedded import EMBEDDED, make_settings, one, write_profile
from udfs.plugin import connect
from udfs.profiles.parameters import model_folder
from udfs.profiles.profile import load_profile
from udfs.roles.asking import Asking, ask_each
from udfs.warehouse.errors import UserError

TEXTS = [
    "Quiet cafe by the river.",
    "",
    " ",
    "寿司と酒 🍣",
    "no",
    "word " * 600,
    "http://a.b/c.jpg",
]


def test_equal_requests_are_asked_once_and_an_exception_belongs_to_its_request():
    asked = []

    def ask(text: str | None) -> str:
        asked.append(text)
        if text == "bad":
            raise RuntimeError("no answer")
        return f"{text}!"

    answers = ask_each(ask, ["a", "bad", None, "a", "bad"], threads=3)
    assert [answer.value for answer in answers] == ["a!", None, "None!", "a!", None]
    error = "failed: RuntimeError: no answer"
    assert [answer.error for answer in answers] == [None, error, None, None, error]
    assert sorted(map(str, asked)) == ["None", "a", "bad"]


def test_a_wrong_setting_is_raised_and_not_an_answer():
    def ask(text: str) -> str:
        raise UserError("install the model")

    with pytest.raises(UserError, match="install the model"):
        ask_each(ask, ["a"], threads=1)


def test_vectors_are_normalised_and_rounded(connection):
    rows = connection.execute(
        "select embed_text(content, 'document', content).vector from unnest($1) as t(content)",
        [TEXTS],
    ).fetchall()
    vectors = np.array([row[0] for row in rows], dtype=np.float32)
    assert vectors.shape == (len(TEXTS), 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    assert (vectors == vectors.astype(np.float16)).all()
    assert one(connection, "select typeof(embed_text('k', 'query', 'a').vector)") == "FLOAT[]"
    assert one(connection, "select embed_text('k', 'query', null).vector") is None


def test_vectors_are_those_of_the_library(connection):
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(model_folder(load_profile(EMBEDDED).text_embedder.model)))
    text = "Wood-fired pizza on the terrace."
    expected = model.encode([text], normalize_embeddings=True)[0]
    assert np.allclose(
        one(connection, "select embed_text('k', 'document', $1).vector", text), expected, atol=1e-3
    )


@pytest.mark.parametrize("threads", [1, 3])
def test_an_answer_does_not_depend_on_company_order_or_threads(
    connection, collection, tmp_path, threads
):
    alone = {
        text: one(connection, "select embed_text('k', 'document', $1).vector", text)
        for text in TEXTS
    }
    other = connect(":memory:", make_settings(collection, tmp_path, threads))
    for texts in (TEXTS, TEXTS[::-1], TEXTS[2:] + TEXTS[:3] * 2):
        rows = other.execute(
            "select content, embed_text(content, 'document', content).vector"
            " from unnest($1) as t(content)",
            [texts],
        ).fetchall()
        assert len(rows) == len(texts)
        for text, vector in rows:
            assert vector == alone[text]


def test_a_judgement_in_sql(connection):
    sql = "select unnest(judge_text('k', 'support', $1, $2))"
    relation = connection.sql(sql, params=["It takes reservations.", "They take reservations."])
    answer = dict(zip(relation.columns, relation.fetchall()[0], strict=True))
    assert answer["verdict"] == "yes"
    assert answer["error"] is None
    assert answer["cost"] == 0
    assert answer["tokens"] > 0
    assert answer["latency_ms"] > 0


def test_a_failed_judgement_is_unresolved(connection):
    sql = "select unnest(judge_text('k', $1, $2, 'Quiet.'))"
    for task, claim in (("praise", "It is quiet."), ("support", None), ("contradiction", "{")):
        relation = connection.sql(sql, params=[task, claim])
        answer = dict(zip(relation.columns, relation.fetchall()[0], strict=True))
        assert answer["verdict"] == "unresolved"
        assert answer["confidence"] is None
        assert answer["error"]


def test_the_other_functions_answer_in_their_structs(connection):
    features = one(connection, "select extract_features('k', 'The staff was friendly.')")
    assert features["error"] is None
    assert features["features"][0]["polarity"] == "positive"
    written = one(
        connection,
        "select write_constraint('k', 'photo', 'a brick fireplace in the corner', 'Joe')",
    )
    assert "brick fireplace" in written["claim"]
    nothing = one(connection, "select write_constraint('k', 'text', 'ok', 'Joe')")
    assert (nothing["claim"], nothing["error"]) == (None, None)
    spec = {"categories": ["Cafes"], "field_phrases": ["takes reservations"]}
    spec |= {"source_phrases": [], "draws": [0.1, 0.2, 0.3, 0.4, 0.5]}
    question = one(connection, "select write_question('k', $1)", json.dumps(spec))
    assert "takes reservations" in question["question"]
    broken = one(connection, "select write_question('k', 'no json')")
    assert broken["question"] is None
    assert broken["error"]


def test_a_query_that_cannot_be_compiled_stops_the_statement(connection):
    with pytest.raises(duckdb.Error, match="ValidationError"):
        connection.execute("select compile_query('no json', 'duckdb')").fetchall()


def test_wrong_dimensions_are_said(tmp_path):
    from udfs.roles.embed import EmbedRequest, embed

    profile = load_profile(write_profile(tmp_path, text_embedder__dimensions=500))
    with pytest.raises(UserError, match="384 dimensions"):
        embed([EmbedRequest("k", "query", "a")], profile.text_embedder, Asking(threads=1))
