"""The sentence-transformers backend on tiny models: loading, semantics, failures.

What is compared with is computed by transformers alone.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from PIL import Image
from pydantic import ValidationError
from transformers import (
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    CLIPModel,
    CLIPProcessor,
)

from tests.support import tiny_models
from tests.support.tiny_models import WIDTH
from udfs.contracts.answer import Answer
from udfs.encoders import encoder as encoders
from udfs.encoders.encoder import (
    CrossEncoder,
    PhotoEncoder,
    TextEncoder,
    embed_photos,
    embed_texts,
    score_pairs,
    score_photos,
)
from udfs.endpoint.requests import Endpoint
from udfs.warehouse.errors import UserError
from udfs.warehouse.places import PROFILE_FOLDER, REPO

TEXTS = ["A quiet cafe by the river.", "寿司と酒 🍣", "no", "word " * 40, "http://a.b/c.jpg"]
PAIRS = [("quiet place", text) for text in TEXTS]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a tiny model, made once."""
    root = tmp_path_factory.mktemp("tiny models")
    made: dict[str, Path] = {}

    def make(name: str) -> Path:
        if name not in made:
            made[name] = getattr(tiny_models, name)(root / name)
        return made[name]

    return make


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a model in a folder needs no network")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    root = tmp_path_factory.mktemp("photos")
    noise = np.random.default_rng(7)
    for number in range(3):
        pixels = noise.integers(0, 255, (40 + number, 50, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(root / f"{number}.png")
    return [root / f"{number}.png" for number in range(3)]


def embed_files(photos: list[Path], parameters: PhotoEncoder, threads: int = 2) -> list[Answer]:
    return embed_photos([photo.name for photo in photos], photos[0].parent, parameters, threads)


def text_encoder(model: Path, **changes: Any) -> TextEncoder:
    keys = {"backend": "sentence_transformers", "model": str(model), "max_tokens": 64}
    return TextEncoder(**keys | {"dimensions": WIDTH} | changes)


def photo_encoder(model: Path, **changes: Any) -> PhotoEncoder:
    return PhotoEncoder(**text_encoder(model).model_dump() | changes)


def cross_encoder(model: Path, **changes: Any) -> CrossEncoder:
    keys = {"backend": "sentence_transformers", "model": str(model), "max_tokens": 64}
    return CrossEncoder(**keys | changes)


def values(answers: list[Answer]) -> np.ndarray:
    assert [answer.error for answer in answers] == [None] * len(answers)
    return np.array([answer.value for answer in answers])


def hidden(model: Path, texts: list[str], max_tokens: int = 64) -> list[np.ndarray]:
    """The last hidden states of each text, by transformers alone."""
    reader, network = AutoTokenizer.from_pretrained(model), AutoModel.from_pretrained(model).eval()
    states = []
    for text in texts:
        features = reader(text, truncation=True, max_length=max_tokens, return_tensors="pt")
        with torch.inference_mode():
            states.append(network(**features).last_hidden_state[0].numpy())
    return states


def unit(rows: list[np.ndarray]) -> np.ndarray:
    return np.array([row / np.linalg.norm(row) for row in rows])


# Text embedders


def test_a_bi_encoder_of_two_folders_has_a_tower_for_each_purpose(folder, tmp_path):
    documents = tiny_models.bert(tmp_path / "documents", seed=2)
    parameters = text_encoder(documents, query_model=str(folder("bert")))
    for purpose, model in (("query", folder("bert")), ("document", documents)):
        expected = unit([states[0] for states in hidden(model, TEXTS)])
        found = values(embed_texts(TEXTS, purpose, parameters, threads=2))
        assert np.allclose(found, expected, atol=1e-3)


def test_a_bi_encoder_of_one_folder_routes_by_the_purpose(folder):
    towers = folder("two_towers")
    found = {
        purpose: values(embed_texts(TEXTS, purpose, text_encoder(towers), threads=2))
        for purpose in ("query", "document")
    }
    assert not np.allclose(found["query"], found["document"], atol=0.1)
    for purpose, tower in (("query", "query_tower"), ("document", "document_tower")):
        expected = unit([states[0] for states in hidden(towers.parent / tower, TEXTS)])
        assert np.allclose(found[purpose], expected, atol=1e-3)


def test_a_single_tower_with_a_projection_and_a_norm(folder):
    model = folder("ance")
    from safetensors.torch import load_file

    dense = load_file(model / "2_Dense" / "model.safetensors")
    norm = load_file(model / "3_LayerNorm" / "model.safetensors")
    rows = []
    for states in hidden(model.parent / "roberta", TEXTS):
        projected = torch.nn.functional.linear(
            torch.tensor(states[0]), dense["linear.weight"], dense["linear.bias"]
        )
        rows.append(
            torch.nn.functional.layer_norm(
                projected, (12,), norm["norm.weight"], norm["norm.bias"]
            ).numpy()
        )
    found = values(embed_texts(TEXTS, "document", text_encoder(model, dimensions=12), threads=2))
    assert np.allclose(found, unit(rows), atol=1e-3)


@pytest.mark.parametrize("purpose", ["query", "document"])
def test_a_decoder_that_is_pooled_by_its_mean(folder, purpose):
    model = folder("kalm")
    expected = unit([states.mean(axis=0) for states in hidden(model, TEXTS)])
    found = values(embed_texts(TEXTS, purpose, text_encoder(model), threads=2))
    assert np.allclose(found, expected, atol=1e-3)


def test_a_decoder_with_an_instruction_before_queries_only(folder):
    model = folder("qwen3_embedding")
    prompted = [tiny_models.QWEN_PROMPT + text for text in TEXTS]
    for purpose, texts in (("query", prompted), ("document", TEXTS)):
        expected = unit([states[-1] for states in hidden(model, texts)])
        found = values(embed_texts(TEXTS, purpose, text_encoder(model), threads=2))
        assert np.allclose(found, expected, atol=1e-3)


def test_a_decoder_that_looks_both_ways(folder):
    """A later word changes the state of an earlier token only where attention goes both ways."""
    model = folder("llama_embed")
    [one], [other] = hidden(model, ["abc"]), hidden(model, ["abd"])
    assert not np.allclose(one[0], other[0], atol=1e-3)
    expected = unit([states.mean(axis=0) for states in hidden(model, TEXTS)])
    found = values(embed_texts(TEXTS, "document", text_encoder(model), threads=2))
    assert np.allclose(found, expected, atol=1e-3)


def test_prompts_of_the_profile_replace_those_of_the_model(folder):
    model = folder("qwen3_embedding")
    own = text_encoder(model, query_prompt="Q: ", document_prompt="D: ")
    bare = text_encoder(model, query_prompt="")
    for parameters, purpose, prompt in (
        (own, "query", "Q: "),
        (own, "document", "D: "),
        (bare, "query", ""),
    ):
        expected = unit([s[-1] for s in hidden(model, [prompt + text for text in TEXTS])])
        found = values(embed_texts(TEXTS, purpose, parameters, threads=1))
        assert np.allclose(found, expected, atol=1e-3)


def test_a_document_prompt_may_be_called_passage(tmp_path):
    """The family of E5 does; sentence-transformers itself would use none then."""
    model = tiny_models.bert(tmp_path / "e5", prompts={"query": "query: ", "passage": "passage: "})
    for purpose, prompt in (("query", "query: "), ("document", "passage: ")):
        expected = unit([s[0] for s in hidden(model, [prompt + text for text in TEXTS])])
        found = values(embed_texts(TEXTS, purpose, text_encoder(model), threads=1))
        assert np.allclose(found, expected, atol=1e-3)


def test_fewer_dimensions_are_cut_and_normalised_again(folder):
    model = folder("kalm")
    expected = unit([states.mean(axis=0)[:6] for states in hidden(model, TEXTS)])
    found = values(embed_texts(TEXTS, "document", text_encoder(model, dimensions=6), threads=1))
    assert found.shape == (len(TEXTS), 6)
    assert np.allclose(found, expected, atol=1e-3)
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=2e-3)


def test_texts_are_cut_at_max_tokens_and_tokens_counted(folder):
    model = folder("kalm")
    short = embed_texts(TEXTS, "document", text_encoder(model, max_tokens=10), threads=1)
    expected = unit([states.mean(axis=0) for states in hidden(model, TEXTS, max_tokens=10)])
    assert np.allclose(values(short), expected, atol=1e-3)
    reader = AutoTokenizer.from_pretrained(model)
    lengths = [min(len(reader(text)["input_ids"]), 10) for text in TEXTS]
    assert [answer.input_tokens for answer in short] == lengths
    assert all(answer.latency_ms > 0 and answer.cost == 0 for answer in short)


def test_all_places_of_a_model_can_be_filled(folder):
    """RoBERTa counts its places from its padding token on, so one is lost here."""
    for name, places, dimensions in (("bert", 128, WIDTH), ("ance", 127, 12)):
        parameters = text_encoder(folder(name), dimensions=dimensions, max_tokens=places)
        [answer] = embed_texts(["word " * 100], "document", parameters, threads=1)
        assert (answer.error, answer.input_tokens) == (None, places)
        longer = text_encoder(folder(name), dimensions=dimensions, max_tokens=places + 1)
        with pytest.raises(UserError, match=f"reads {places} tokens at most, the profile says"):
            embed_texts(["a"], "document", longer, threads=1)


def test_a_model_that_keeps_state_is_called_one_call_at_a_time(folder, monkeypatch):
    """Qwen3-VL leaves `rope_deltas` in the model, which a call beside it would read."""
    parameters = text_encoder(folder("kalm"), max_tokens=61)
    expected = values(embed_texts(TEXTS * 4, "document", parameters, threads=4))
    [source] = [source for source in encoders._MODELS if source.max_tokens == 61]
    loaded = encoders._MODELS.pop(source)
    assert not loaded.is_serial
    loaded.model[0].rope_deltas = None
    assert encoders._keeps_state(loaded.model)

    running, most = 0, 0

    def forward(features: Any, **task: str) -> Any:
        nonlocal running, most
        running += 1
        most = max(most, running)
        found = type(loaded.model).forward(loaded.model, features, **task)
        running -= 1
        return found

    monkeypatch.setattr(loaded.model, "forward", forward)
    monkeypatch.setitem(encoders._MODELS, source, loaded._replace(is_serial=True))
    with ThreadPoolExecutor(4) as callers:
        asked = [callers.submit(embed_texts, TEXTS, "document", parameters, 4) for _ in range(4)]
        found = np.concatenate([values(each.result()) for each in asked])
    assert (found == expected).all()
    assert most == 1


def test_a_larger_batch_gives_the_same_up_to_rounding_in_the_order_of_the_texts(folder):
    for name in ("bert", "qwen3_embedding"):
        alone = values(embed_texts(TEXTS, "query", text_encoder(folder(name)), threads=2))
        batched = embed_texts(TEXTS, "query", text_encoder(folder(name), batch=2), threads=2)
        assert np.allclose(values(batched), alone, atol=2e-3)


def test_the_dtype_is_that_of_the_profile(folder):
    half = text_encoder(folder("kalm"), dtype="bfloat16")
    found = values(embed_texts(TEXTS, "document", half, threads=1))
    exact = values(embed_texts(TEXTS, "document", text_encoder(folder("kalm")), threads=1))
    assert np.allclose(found, exact, atol=0.1)
    assert not np.allclose(found, exact, atol=1e-4)
    loaded = encoders._embedder(half, "document", "text_embedder")
    assert loaded.model.dtype == torch.bfloat16


# Photos


def test_texts_and_photos_of_a_clip_share_a_space(folder, photos):
    model = folder("clip")
    parameters = photo_encoder(model)
    network, reader = CLIPModel.from_pretrained(model).eval(), CLIPProcessor.from_pretrained(model)
    with torch.inference_mode():
        images = [Image.open(photo).convert("RGB") for photo in photos]
        seen = network.get_image_features(**reader(images=images, return_tensors="pt"))
        read = [
            network.get_text_features(
                **reader(text=[text], return_tensors="pt", truncation=True, max_length=64)
            )
            for text in TEXTS
        ]
    expected = unit(list(seen.pooler_output.numpy()))
    assert np.allclose(values(embed_files(photos, parameters)), expected, atol=1e-3)
    expected = unit([row.pooler_output[0].numpy() for row in read])
    found = values(embed_texts(TEXTS, "query", parameters, threads=2, role="photo_embedder"))
    assert np.allclose(found, expected, atol=1e-3)


def test_a_decoder_that_sees_reads_photos_through_its_chat_template(folder, photos):
    from transformers import LlavaForConditionalGeneration, LlavaProcessor

    model = folder("photo_and_text_embedder")
    decoder = model.parent / "decoder"
    network = LlavaForConditionalGeneration.from_pretrained(decoder).eval()
    reader = LlavaProcessor.from_pretrained(decoder)
    rows = []
    for photo in photos:
        image = Image.open(photo).convert("RGB")
        features = reader(text="[CLS]user: <image>[SEP]", images=image, return_tensors="pt")
        with torch.inference_mode():
            rows.append(network.model(**features).last_hidden_state[0, -1].numpy())
    found = values(embed_files(photos, photo_encoder(model)))
    assert np.allclose(found, unit(rows), atol=1e-3)


@pytest.mark.parametrize("name", ["clip", "photo_and_text_embedder"])
def test_a_text_is_never_opened_as_a_photo(folder, photos, tmp_path, name):
    """sentence-transformers opens a string that is a path or an address of a photo."""
    parameters = photo_encoder(folder(name), query_prompt="", max_tokens=64)
    path = tmp_path / "photo.png"
    before = values(embed_texts([str(path)], "query", parameters, threads=1))
    path.write_bytes(photos[0].read_bytes())
    assert (values(embed_texts([str(path)], "query", parameters, threads=1)) == before).all()


def test_a_text_of_a_pair_is_never_opened_as_a_photo(folder, photos, tmp_path):
    path = tmp_path / "photo.png"
    for name in ("photo_reranker", "decoder_reranker", "cross_encoder"):
        path.unlink(missing_ok=True)
        pairs = [("a wall", str(path)), (str(path), "a wall")]
        before = values(score_pairs(pairs, cross_encoder(folder(name)), threads=1))
        path.write_bytes(photos[0].read_bytes())
        assert (values(score_pairs(pairs, cross_encoder(folder(name)), threads=1)) == before).all()


def test_a_photo_that_cannot_be_read_fails_alone(folder, photos, tmp_path):
    shutil.copytree(photos[0].parent, tmp_path / "photos")
    (tmp_path / "secret.png").write_bytes(photos[0].read_bytes())
    (tmp_path / "photos" / "broken.jpg").write_bytes(b"\xff\xd8\xff")
    bad = {"broken.jpg": "no readable", "none.jpg": "no such", "../secret.png": "leads out"}
    for batch in (1, 8):
        parameters = photo_encoder(folder("clip"), batch=batch)
        asked = ["0.png", *bad, "1.png"]
        first, *failed, last = embed_photos(asked, tmp_path / "photos", parameters, threads=2)
        assert first.error is last.error is None
        for answer, reason in zip(failed, bad.values(), strict=True):
            assert answer.value is None
            assert answer.error.startswith("photo: ")
            assert reason in answer.error
            assert str(tmp_path) not in answer.error


def test_a_photo_is_upright_and_small_when_the_model_sees_it(folder, tmp_path, monkeypatch):
    loaded = encoders._embedder(photo_encoder(folder("clip")), "document", "photo_embedder")
    seen = []

    def preprocess(inputs: list[Any], **_: Any) -> Any:
        seen.extend(each["image"].size for each in inputs)
        raise RuntimeError("enough")

    monkeypatch.setattr(loaded.model, "preprocess", preprocess)
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was held on its side
    Image.new("RGB", (400, 100)).save(tmp_path / "photo.jpg", exif=exif)
    for side in (1000, 200):
        parameters = photo_encoder(folder("clip"), max_side=side)
        embed_photos(["photo.jpg"], tmp_path, parameters, threads=1)
    assert seen == [(100, 400), (50, 200)]


# Cross-encoders


def test_a_cross_encoder_gives_its_logit(folder):
    model = folder("cross_encoder")
    reader = AutoTokenizer.from_pretrained(model)
    network = AutoModelForSequenceClassification.from_pretrained(model).eval()
    expected = []
    for query, text in PAIRS:
        features = reader(
            query, text, truncation="longest_first", max_length=64, return_tensors="pt"
        )
        with torch.inference_mode():
            expected.append(float(network(**features).logits[0, 0]))
    found = values(score_pairs(PAIRS, cross_encoder(model), threads=2))
    assert np.allclose(found, expected, atol=1e-4)
    assert (found == found.round(4)).all()
    batched = values(score_pairs(PAIRS, cross_encoder(model, batch=3), threads=2))
    assert np.allclose(batched, expected, atol=2e-4)


def test_a_decoder_reranks_by_yes_against_no(folder):
    model = folder("decoder_reranker")
    reader, network = (
        AutoTokenizer.from_pretrained(model),
        AutoModelForCausalLM.from_pretrained(model),
    )
    yes, no = reader.convert_tokens_to_ids(["yes", "no"])
    pairs = PAIRS[:3]
    expected = []
    for query, text in pairs:
        features = reader(f"[CLS]query: {query}[CLS]document: {text}[SEP]", return_tensors="pt")
        with torch.inference_mode():
            logits = network(**features).logits[0, -1]
        expected.append(float(logits[yes] - logits[no]))
    found = values(score_pairs(pairs, cross_encoder(model, max_tokens=128), threads=2))
    assert np.allclose(found, expected, atol=1e-3)


def test_a_photo_reranker_scores_photos_and_texts(folder, photos):
    from transformers import LlavaForConditionalGeneration, LlavaProcessor

    model = folder("photo_reranker")
    decoder = model.parent / "decoder"
    network = LlavaForConditionalGeneration.from_pretrained(decoder).eval()
    reader = LlavaProcessor.from_pretrained(decoder)
    yes, no = reader.tokenizer.convert_tokens_to_ids(["yes", "no"])
    expected = []
    for photo in photos:
        text = "[CLS]query: a brick wall[CLS]document: <image>[SEP]"
        image = Image.open(photo).convert("RGB")
        with torch.inference_mode():
            logits = network(**reader(text=text, images=image, return_tensors="pt")).logits[0, -1]
        expected.append(float(logits[yes] - logits[no]))
    pairs = [("a brick wall", photo.name) for photo in photos]
    found = values(score_photos(pairs, photos[0].parent, cross_encoder(model), threads=2))
    assert np.allclose(found, expected, atol=1e-3)


def test_a_prompt_of_the_profile_reaches_the_cross_encoder(folder):
    model = folder("decoder_reranker")
    plain = values(score_pairs(PAIRS[:2], cross_encoder(model, max_tokens=128), threads=1))
    told = cross_encoder(model, max_tokens=128, prompt="Be strict.")
    assert not np.allclose(values(score_pairs(PAIRS[:2], told, threads=1)), plain, atol=1e-2)


def test_the_paper_profile_is_in_the_keys_of_its_backends():
    roles = yaml.safe_load((PROFILE_FOLDER / "paper.yml").read_text(encoding="utf-8"))
    assert TextEncoder.model_validate(roles["text_embedder"]).dimensions == 4096
    assert PhotoEncoder.model_validate(roles["photo_embedder"]).dimensions == 4096
    assert CrossEncoder.model_validate(roles["reranker"]).batch > 1
    for role in ("judge", "photo_judge", "writer", "extractor"):
        url = roles[role].pop("base_url")
        assert url.startswith("${HETERQA_")
        endpoint = Endpoint.model_validate(roles[role])
        assert endpoint.api_key_env is None


# Settings that cannot work: one sentence that names role and key


def spoil(model: Path, target: Path, remove: str) -> Path:
    """A copy of a model without the weights of that name."""
    from safetensors.torch import load_file, save_file

    shutil.copytree(model, target)
    weights = load_file(target / "model.safetensors")
    kept = {name: weight for name, weight in weights.items() if remove not in name}
    assert len(kept) < len(weights)
    save_file(kept, target / "model.safetensors", metadata={"format": "pt"})
    return target


def test_a_model_without_some_of_its_weights_is_refused(folder, tmp_path):
    """transformers warns, and answers at random."""
    spoiled = spoil(folder("bert"), tmp_path / "spoiled", "layer.1.output.dense.weight")
    with pytest.raises(UserError, match=r"^text_embedder: .* lacks weights \(encoder.layer.1"):
        embed_texts(["a"], "document", text_encoder(spoiled), threads=1)
    headless = spoil(folder("cross_encoder"), tmp_path / "headless", "classifier")
    with pytest.raises(UserError, match=r"^reranker: .* lacks weights \(classifier"):
        score_pairs([("a", "b")], cross_encoder(headless), threads=1)


def test_a_pooler_that_is_not_used_may_be_missing(folder, tmp_path):
    spoiled = spoil(folder("bert"), tmp_path / "no pooler", "pooler")
    found = values(embed_texts(TEXTS, "document", text_encoder(spoiled), threads=1))
    expected = values(embed_texts(TEXTS, "document", text_encoder(folder("bert")), threads=1))
    assert (found == expected).all()


def refusals() -> list[tuple[dict[str, Any], str]]:
    return [
        ({"dimensions": 17}, "has 16 dimensions, the profile says 17; correct `dimensions`"),
        ({"max_tokens": 4096}, "reads 128 tokens at most, the profile says 4096; lower `max_tok"),
        ({"query_model": "./none"}, "there is no such folder"),
        ({"revision": "main"}, "is a folder and has no revision; remove `revision`"),
    ]


@pytest.mark.parametrize(("changes", "message"), refusals())
def test_what_the_model_cannot_do_is_said(folder, monkeypatch, changes, message):
    # A relative path, which the profile cannot tell from a name on a hub.
    monkeypatch.chdir(folder("bert").parent)
    parameters = text_encoder(Path("bert"), **changes)
    with pytest.raises(UserError) as error:
        embed_texts(["a"], "query", parameters, threads=1)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_folder_that_holds_no_model_names_role_and_key(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "no such"}))
    with pytest.raises(UserError, match=r"^text_embedder: .* correct `model` in the profile"):
        embed_texts(["a"], "document", text_encoder(tmp_path), threads=1)
    twice = text_encoder(tmp_path, query_model=str(tmp_path))
    with pytest.raises(UserError, match=r"^me: .* correct `query_model` in the profile"):
        embed_texts(["a"], "query", twice, threads=1, role="me")


def test_a_model_that_was_fetched_once_is_used_without_the_network(folder, tmp_path):
    kept = tmp_path / "hub" / "models--someone--tiny"
    shutil.copytree(folder("qwen3_embedding"), kept / "snapshots" / ("0" * 40))
    (kept / "refs").mkdir()
    (kept / "refs" / "main").write_text("0" * 40)
    code = (
        "import socket\n"
        "def refuse(*_): raise SystemExit('the network was asked')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from udfs.encoders.encoder import TextEncoder, embed_texts\n"
        "keys = {'backend': 'sentence_transformers', 'model': 'someone/tiny'}\n"
        "model = TextEncoder(**keys, dimensions=16, max_tokens=64)\n"
        "print(embed_texts(['a'], 'query', model, 1)[0].value)"
    )
    environ = os.environ | {"HF_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=REPO, env=environ
    )
    assert done.returncode == 0, done.stderr[-2000:]
    same = embed_texts(["a"], "query", text_encoder(folder("qwen3_embedding")), threads=1)[0]
    assert json.loads(done.stdout.splitlines()[-1]) == same.value


def test_a_model_that_reads_no_photos_or_gives_several_scores_is_refused(folder, photos, tmp_path):
    with pytest.raises(UserError, match=r"^photo_embedder: .* reads no photos"):
        embed_files(photos, photo_encoder(folder("bert")))
    with pytest.raises(UserError, match=r"^photo_reranker: .* reads no photos"):
        text_only = cross_encoder(folder("cross_encoder"))
        score_photos([("a", "0.png")], photos[0].parent, text_only, threads=1)
    three = tiny_models.cross_encoder(tmp_path / "three", labels=3)
    with pytest.raises(UserError, match=r"^reranker: .* gives 3 scores a pair"):
        score_pairs([("a", "b")], cross_encoder(three), threads=1)


def test_code_that_comes_with_a_model_is_not_run(folder, tmp_path):
    shutil.copytree(folder("bert"), tmp_path / "model")
    config = json.loads((tmp_path / "model" / "config.json").read_text())
    config |= {
        "model_type": "evil",
        "auto_map": {"AutoConfig": "evil.Config", "AutoModel": "evil.M"},
    }
    tiny_models.write(tmp_path / "model" / "config.json", config)
    ran = tmp_path / "ran"
    (tmp_path / "model" / "evil.py").write_text(f"open({str(ran)!r}, 'w')")
    with pytest.raises(UserError, match="trust_remote_code"):
        embed_texts(["a"], "document", text_encoder(tmp_path / "model"), threads=1)
    assert not ran.exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"device": "gpu"},
        {"dtype": "int8"},
        {"batch": 0},
        {"revision": "main", "model": "package:a/b"},
        {"prompt": "x"},
        {"dimensions": 0},
    ],
)
def test_keys_are_checked_when_the_profile_is_read(changes):
    good = text_encoder(Path("name")).model_dump()
    with pytest.raises(ValidationError):
        TextEncoder(**good | changes)


# Failures of one input


def test_a_text_that_fails_is_an_error_answer_and_fails_alone(folder, monkeypatch):
    parameters = text_encoder(folder("kalm"), max_tokens=63)
    loaded = encoders._embedder(parameters, "document", "text_embedder")
    whole = type(loaded.model).preprocess

    def preprocess(self: Any, inputs: list[Any], **settings: Any) -> Any:
        if "bad" in inputs:
            raise RuntimeError("no\nsuch token")
        return whole(self, inputs, **settings)

    monkeypatch.setattr(type(loaded.model), "preprocess", preprocess)
    for batch in (1, 8):
        asked = text_encoder(folder("kalm"), max_tokens=63, batch=batch)
        answers = embed_texts(["a", "bad", "b"], "document", asked, threads=2)
        assert [answer.error for answer in answers] == [
            None,
            "failed: RuntimeError: no such token",
            None,
        ]
        assert answers[1].value is None
        assert answers[0].value is not None


def test_a_vector_that_is_no_vector_is_an_error(folder, tmp_path):
    from safetensors.torch import load_file, save_file

    model = tmp_path / "broken"
    shutil.copytree(folder("kalm"), model)
    weights = load_file(model / "model.safetensors")
    weights["norm.weight"][3] = float("nan")
    save_file(weights, model / "model.safetensors", metadata={"format": "pt"})
    [answer] = embed_texts(["a"], "document", text_encoder(model), threads=1)
    assert answer.value is None
    assert answer.error.startswith("failed: ")


def test_nothing_asked_is_nothing_answered(folder):
    for batch in (1, 8):
        assert embed_texts([], "query", text_encoder(folder("bert"), batch=batch), threads=2) == []


def test_models_are_shared_by_roles_that_agree(folder):
    one = encoders._embedder(text_encoder(folder("clip")), "query", "text_embedder")
    other = encoders._embedder(
        photo_encoder(folder("clip"), dimensions=8), "query", "photo_embedder"
    )
    assert one is other
    models = itertools.chain(
        [one], [encoders._embedder(text_encoder(folder("clip"), max_tokens=32), "query", "x")]
    )
    assert len({id(loaded.model) for loaded in models}) == 2
