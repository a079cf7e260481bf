"""Texts as vectors by tiny models of each architecture, against transformers alone."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
import torch
from transformers import (
    AutoTokenizer,
    CLIPModel,
    CLIPProcessor,
)

from tests.support import tiny_models
from tests.support.encoders import TEXTS, hidden, text_encoder, unit, values
from tests.support.tiny_models import WIDTH
from udfs.encoders import loading
from udfs.encoders.running import embed_texts
from udfs.warehouse.errors import UserError


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


def test_the_texts_of_a_clip(folder):
    model = folder("clip")
    network, reader = CLIPModel.from_pretrained(model).eval(), CLIPProcessor.from_pretrained(model)
    with torch.inference_mode():
        read = [
            network.get_text_features(
                **reader(text=[text], return_tensors="pt", truncation=True, max_length=64)
            )
            for text in TEXTS
        ]
    expected = unit([row.pooler_output[0].numpy() for row in read])
    found = values(embed_texts(TEXTS, "query", text_encoder(model), threads=2))
    assert np.allclose(found, expected, atol=1e-3)


@pytest.mark.parametrize("name", ["clip", "photo_and_text_embedder"])
def test_a_text_is_never_opened_as_a_photo(folder, photo, tmp_path, name):
    """sentence-transformers opens a string that is a path or an address of a photo."""
    parameters = text_encoder(folder(name), query_prompt="", max_tokens=64)
    path = tmp_path / "photo.png"
    before = values(embed_texts([str(path)], "query", parameters, threads=1))
    path.write_bytes(photo)
    assert (values(embed_texts([str(path)], "query", parameters, threads=1)) == before).all()


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
    loaded = loading.embedder(half, "document", "text_embedder")
    assert loaded.model.dtype == torch.bfloat16


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
