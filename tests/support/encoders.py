"""Profiles of tiny models, texts to ask them, and what transformers alone says of these."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import (
    AutoModel,
    AutoTokenizer,
)

from tests.support.tiny_models import WIDTH
from udfs.contracts.answer import Answer
from udfs.profiles.parameters import CrossEncoder, TextEncoder

TEXTS = ["A quiet cafe by the river.", "寿司と酒 🍣", "no", "word " * 40, "http://a.b/c.jpg"]
PAIRS = [("quiet place", text) for text in TEXTS]


def text_encoder(model: Path, **changes: Any) -> TextEncoder:
    keys = {"backend": "sentence_transformers", "model": str(model), "max_tokens": 64}
    return TextEncoder(**keys | {"dimensions": WIDTH} | changes)


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
