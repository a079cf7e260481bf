"""Purity: the same input gives the same answer, to the last bit, whatever else is asked with it.

Every role that runs here is one `Role`: what it can be asked, and how. The property draws some of
its inputs, in some order and with repetitions, and a number of threads; each answer must equal the
one that the input got alone in the first call. A new role joins by a line in `ROLES`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import tiny_models
from udfs.contracts.answer import Answer
from udfs.encoders.running import embed_texts, score_pairs
from udfs.plugin import connect
from udfs.profiles.parameters import CrossEncoder, TextEncoder
from udfs.warehouse.places import REPO
from udfs.warehouse.settings import Settings

TEXTS = [
    "The staff was friendly and the soup was cold.",
    "They do not take reservations, and it was far too loud.",
    "Quiet, cosy, and they take reservations!",
    "",
    " ",
    "寿司と酒 🍣",
    "no",
    "word " * 300,
    "http://a.b/c.jpg",
    "Wood-fired pizza on the terrace. Free wifi. Dogs are welcome, children less so.",
]
CLAIMS = [
    "It takes reservations.",
    "It is quiet.",
    "It has free Wi-Fi.",
    "A photo shows a terrace.",
]
QUESTION = {"question": "A quiet cafe?", "claims": ["It is quiet.", "It takes reservations."]}


class Role(NamedTuple):
    """inputs: what it is asked in the tests. ask: its answers in order, and without the time."""

    inputs: Callable[[Path], Sequence[Any]]
    ask: Callable[[Path, Sequence[Any], int], list[Any]]


# The roles


def without_time(answers: list[Answer]) -> list[Any]:
    return [(answer.value, answer.error, answer.input_tokens) for answer in answers]


def parameters(make: Any, model: Path, **changes: Any) -> Any:
    keys = {"backend": "sentence_transformers", "model": str(model), "max_tokens": 64}
    return make(**keys | changes)


@lru_cache
def tiny(root: Path, name: str) -> Path:
    return getattr(tiny_models, name)(root / name)


def texts_by(name: str, dimensions: int = tiny_models.WIDTH, purpose: Any = "query") -> Role:
    def ask(root: Path, texts: Sequence[str], threads: int) -> list[Any]:
        encoder = parameters(TextEncoder, tiny(root, name), dimensions=dimensions)
        return without_time(embed_texts(texts, purpose, encoder, threads))

    return Role(lambda _: TEXTS, ask)


def pairs_by(name: str) -> Role:
    def ask(root: Path, pairs: Sequence[tuple[str, str]], threads: int) -> list[Any]:
        encoder = parameters(CrossEncoder, tiny(root, name))
        return without_time(score_pairs(pairs, encoder, threads))

    return Role(lambda _: [(claim, text) for claim in CLAIMS[:2] for text in TEXTS], ask)


def in_sql(call: str, inputs: Sequence[Sequence[str]]) -> Role:
    """A role of the embedded profile, asked as a build does; `item` is the list of an input."""

    def ask(root: Path, items: Sequence[Sequence[str]], threads: int) -> list[Any]:
        rows = "unnest($1::varchar[][]) with ordinality as t(item, n)"
        keyed = f"select *, md5(item::varchar) as key from {rows}"
        sql = f"select {call} from ({keyed}) order by n"
        answers = [row[0] for row in database(root, threads).execute(sql, [items]).fetchall()]
        return [{k: v for k, v in answer.items() if k != "latency_ms"} for answer in answers]

    return Role(lambda _: inputs, ask)


@lru_cache
def database(root: Path, threads: int) -> Any:
    folder = root / "collection"
    folder.mkdir(exist_ok=True)
    for name in ("business", "review", "tip", "user"):
        (folder / f"yelp_academic_dataset_{name}.json").write_text("{}\n")
    (folder / "photos.json").write_text("{}\n")
    variables = {"DATA": folder, "WAREHOUSE": root / "warehouse", "THREADS": threads}
    environ = {f"HETERQA_{name}": str(value) for name, value in variables.items()}
    return connect(":memory:", Settings.from_env(environ))


def spec(number: int) -> str:
    phrases = {"field_phrases": ["takes reservations"], "source_phrases": ["is quiet"]}
    draws = [(number * k % 7) / 7 for k in range(1, 6)]
    return json.dumps({"categories": ["Cafes"], "draws": draws} | phrases)


SUPPORT = [("support", claim, text) for claim in CLAIMS for text in TEXTS]
JUDGED = [*SUPPORT, *(("contradiction", json.dumps(QUESTION), text) for text in TEXTS)]
ROLES = {
    "text_embedder": in_sql("embed_text(key, 'document', item[1])", [[text] for text in TEXTS]),
    "reranker": in_sql(
        "rerank_text(key, item[1], item[2])",
        [(claim, text) for claim in CLAIMS[:2] for text in TEXTS],
    ),
    "judge": in_sql("judge_text(key, item[1], item[2], item[3])", JUDGED),
    "photo_judge": in_sql("judge_photo(key, item[1], item[2], item[3], 'a.jpg')", JUDGED),
    "extractor": in_sql("extract_features(key, item[1])", [[text] for text in TEXTS]),
    "writer of constraints": in_sql(
        "write_constraint(key, item[1], item[2], 'Joe')",
        [(source, text) for source in ("text", "photo") for text in TEXTS],
    ),
    "writer of questions": in_sql("write_question(key, item[1])", [[spec(n)] for n in range(8)]),
    "two towers": texts_by("two_towers"),
    "projection": texts_by("ance", 12, "document"),
    "mean of a decoder": texts_by("kalm"),
    "instructed decoder": texts_by("qwen3_embedding"),
    "decoder both ways": texts_by("llama_embed"),
    "texts of a CLIP": texts_by("clip"),
    "decoder that sees": texts_by("photo_and_text_embedder"),
    "cross-encoder": pairs_by("cross_encoder"),
    "decoder that reranks": pairs_by("decoder_reranker"),
    "decoder that sees and reranks": pairs_by("photo_reranker"),
}


# The property


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("purity")


@pytest.fixture(scope="module", params=ROLES)
def role(request: pytest.FixtureRequest, root: Path) -> Iterator[tuple[Role, dict[int, Any]]]:
    """A role and what it answers to each input alone."""
    found = ROLES[request.param]
    inputs = found.inputs(root)
    yield found, {n: found.ask(root, [item], 1)[0] for n, item in enumerate(inputs)}


def test_the_answers_of_a_role_are_not_all_the_same(role):
    """What is compared below is something."""
    _, alone = role
    assert len({repr(answer) for answer in alone.values()}) > 1


@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_an_answer_does_not_depend_on_company_order_or_threads(role, root, data):
    found, alone = role
    inputs = found.inputs(root)
    chosen = data.draw(st.lists(st.sampled_from(range(len(inputs))), min_size=1, max_size=12))
    threads = data.draw(st.sampled_from([1, 2, 5]))
    answers = found.ask(root, [inputs[n] for n in chosen], threads)
    assert answers == [alone[n] for n in chosen]


@pytest.mark.parametrize("threads", ["1", "4"])
def test_a_fresh_process_answers_the_same(root, threads):
    """Another process, with other hash seeds and thread settings: what a resumed build is."""
    names = ("text_embedder", "reranker", "judge", "extractor", "instructed decoder")
    here = {name: ROLES[name].ask(root, ROLES[name].inputs(root)[:8], 2) for name in names}
    code = (
        "import json, sys; from pathlib import Path; from tests.udfs.test_purity import ROLES;"
        "root, *names = sys.argv[1:]; root = Path(root);"
        "ask = lambda role: role.ask(root, role.inputs(root)[:8][::-1], 3)[::-1];"
        "print(json.dumps({name: ask(ROLES[name]) for name in names}))"
    )
    environ = os.environ | {"PYTHONHASHSEED": threads, "OMP_NUM_THREADS": threads}
    # The models that are there are not made again.
    made = "import tests.support.tiny_models as t; t.qwen3_embedding = lambda folder: folder; "
    made += code
    done = subprocess.run(
        [sys.executable, "-c", made, str(root), *names],
        **{"capture_output": True, "text": True, "cwd": REPO, "check": False, "env": environ},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout.splitlines()[-1]) == json.loads(json.dumps(here))
