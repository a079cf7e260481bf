"""How inputs are handed to a model: one at a time, in batches, and one that fails alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from tests.support.encoders import TEXTS, text_encoder, values
from udfs.encoders import loading
from udfs.encoders.running import embed_texts


def test_a_model_that_keeps_state_is_called_one_call_at_a_time(folder, monkeypatch):
    """Qwen3-VL leaves `rope_deltas` in the model, which a call beside it would read."""
    parameters = text_encoder(folder("kalm"), max_tokens=61)
    expected = values(embed_texts(TEXTS * 4, "document", parameters, threads=4))
    [source] = [source for source in loading._MODELS if source.max_tokens == 61]
    loaded = loading._MODELS.pop(source)
    assert not loaded.is_serial
    loaded.model[0].rope_deltas = None
    assert loading._keeps_state(loaded.model)

    running, most = 0, 0

    def forward(features: Any, **task: str) -> Any:
        nonlocal running, most
        running += 1
        most = max(most, running)
        found = type(loaded.model).forward(loaded.model, features, **task)
        running -= 1
        return found

    monkeypatch.setattr(loaded.model, "forward", forward)
    monkeypatch.setitem(loading._MODELS, source, loaded._replace(is_serial=True))
    with ThreadPoolExecutor(4) as callers:
        asked = [callers.submit(embed_texts, TEXTS, "document", parameters, 4) for _ in range(4)]
        found = np.concatenate([values(each.result()) for each in asked])
    assert (found == expected).all()
    assert most == 1


def test_a_text_that_fails_is_an_error_answer_and_fails_alone(folder, monkeypatch):
    parameters = text_encoder(folder("kalm"), max_tokens=63)
    loaded = loading.embedder(parameters, "document", "text_embedder")
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


def test_nothing_asked_is_nothing_answered(folder):
    for batch in (1, 8):
        assert embed_texts([], "query", text_encoder(folder("bert"), batch=batch), threads=2) == []
