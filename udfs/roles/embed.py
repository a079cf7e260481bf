"""Role text_embedder: a text as a vector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from udfs.contracts.answer import Answer
from udfs.contracts.strict import Strict
from udfs.encoders.loading import Purpose
from udfs.encoders.running import embed_texts
from udfs.endpoint.ask import ask_embeddings
from udfs.endpoint.budget import cost_of
from udfs.profiles.parameters import Endpoint, TextEncoder
from udfs.roles.asking import Asking, about_tokens


class Embedding(Strict):
    """A vector of unit length, its numbers rounded to float16: a last bit decides nothing."""

    vector: list[float]


class EmbedRequest(NamedTuple):
    """A text, and whether it is searched for (`query`) or in (`document`)."""

    key: str
    purpose: Purpose
    content: str | None


def embed(
    requests: Sequence[EmbedRequest], parameters: TextEncoder | Endpoint, asking: Asking
) -> list[Answer]:
    """The Embedding of each text; a null text has none."""
    answers: dict[str, Answer] = {}
    for purpose in ("query", "document"):
        contents = {
            r.key: r.content for r in requests if r.purpose == purpose and r.content is not None
        }
        answers |= _embed(contents, purpose, parameters, asking)
    return [answers.get(request.key, Answer(None)) for request in requests]


def _embed(
    contents: dict[str, str], purpose: Purpose, parameters: TextEncoder | Endpoint, asking: Asking
) -> dict[str, Answer]:
    """The answers by key. An encoder reads equal texts once; an endpoint is asked key by key, and
    the key of a request is a hash of its text."""
    if isinstance(parameters, TextEncoder) or asking.stand_ins is not None:
        return _by_encoder(contents, purpose, parameters, asking)
    answers: dict[str, Answer] = {}

    def keep(key: str, answer: Answer) -> None:
        answers[key] = answer.map(_normalised)
        if asking.on_answer is not None:
            asking.on_answer(key, answers[key])

    ask_embeddings(list(contents.items()), parameters, keep, asking.budget)
    return answers


def _by_encoder(
    contents: dict[str, str], purpose: Purpose, parameters: TextEncoder | Endpoint, asking: Asking
) -> dict[str, Answer]:
    encoder = parameters
    if isinstance(encoder, Endpoint):
        assert asking.stand_ins is not None
        encoder = asking.stand_ins.text_embedder
        assert isinstance(encoder, TextEncoder)
    distinct = list(dict.fromkeys(contents.values()))
    found = embed_texts(distinct, purpose, encoder, asking.threads)
    by_text = dict(zip(distinct, found, strict=True))
    answers = {key: by_text[text] for key, text in contents.items()}
    if isinstance(parameters, Endpoint):
        answers = {key: _estimated(contents[key], answers[key], parameters) for key in contents}
    # Vectors of an encoder are finite and of the right length: no number needs another check.
    return {
        key: answer.map(lambda vector: Embedding.model_construct(vector=vector))
        for key, answer in answers.items()
    }


def _estimated(text: str, answer: Answer, endpoint: Endpoint) -> Answer:
    tokens = about_tokens(text)
    return answer._replace(input_tokens=tokens, cost=cost_of(tokens, 0, endpoint.price))


def _normalised(vector: list[float]) -> Embedding:
    row = np.asarray(vector, dtype=np.float32)
    norm = float(np.linalg.norm(row))
    if not np.isfinite(norm) or norm == 0:
        raise ValueError("the vector has no length")
    rounded = (row / norm).astype(np.float16).astype(np.float32)
    return Embedding.model_construct(vector=rounded.tolist())
