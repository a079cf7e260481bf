"""How well a text answers a query, by tiny cross-encoders, against transformers alone."""

from __future__ import annotations

import numpy as np
import torch
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
)

from tests.support.encoders import PAIRS, cross_encoder, values
from udfs.encoders.running import score_pairs


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


def test_a_text_of_a_pair_is_never_opened_as_a_photo(folder, photo, tmp_path):
    path = tmp_path / "photo.png"
    for name in ("photo_reranker", "decoder_reranker", "cross_encoder"):
        path.unlink(missing_ok=True)
        pairs = [("a wall", str(path)), (str(path), "a wall")]
        before = values(score_pairs(pairs, cross_encoder(folder(name)), threads=1))
        path.write_bytes(photo)
        assert (values(score_pairs(pairs, cross_encoder(folder(name)), threads=1)) == before).all()


def test_a_prompt_of_the_profile_reaches_the_cross_encoder(folder):
    model = folder("decoder_reranker")
    plain = values(score_pairs(PAIRS[:2], cross_encoder(model, max_tokens=128), threads=1))
    told = cross_encoder(model, max_tokens=128, prompt="Be strict.")
    assert not np.allclose(values(score_pairs(PAIRS[:2], told, threads=1)), plain, atol=1e-2)
