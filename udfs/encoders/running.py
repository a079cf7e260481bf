"""The sentence-transformers backend: texts as vectors, and how well a text answers a query.

Pooling, prompts and towers come from the model's own configuration. With `batch: 1` each input is
a call of its own, so that an answer never depends on its company.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from udfs.contracts.answer import Answer
from udfs.encoders.loading import Loaded, Purpose, cross_encoder, embedder
from udfs.encoders.workers import workers
from udfs.profiles.parameters import CrossEncoder, TextEncoder
from udfs.warehouse.errors import UserError

Input = TypeVar("Input", str, tuple[str, str])


def embed_texts(
    contents: Sequence[str], purpose: Purpose, parameters: TextEncoder, threads: int
) -> list[Answer]:
    """A vector of each text, in their order: normalised and rounded to float16.

    Raises UserError for a model that cannot be used as the profile says.
    """
    tower = embedder(parameters, purpose, "text_embedder")
    prompt = _prompt(tower, purpose, parameters)

    def embed(batch: Sequence[str]) -> list[_Outcome]:
        return _vectors(tower, [tower.text(text) for text in batch], purpose, prompt, parameters)

    return _ask(contents, embed, tower, parameters.batch, threads)


def score_pairs(
    pairs: Sequence[tuple[str, str]], parameters: CrossEncoder, threads: int
) -> list[Answer]:
    """The relevance logit of each (query, text), rounded to 4 decimals.

    A logit and not a probability: near 0 and 1 a rounded probability no longer ranks.
    """
    scorer = cross_encoder(parameters, "reranker")
    prompt = _instruction(scorer, parameters)

    def score(batch: Sequence[tuple[str, str]]) -> list[_Outcome]:
        return _logits(scorer, [(scorer.text(q), scorer.text(d)) for q, d in batch], prompt)

    return _ask(pairs, score, scorer, parameters.batch, threads)


# Asking: one input a call in worker threads, or sorted batches one after the other


class _Outcome(NamedTuple):
    value: Any
    tokens: int = 0
    error: str | None = None


def _ask(
    inputs: Sequence[Input],
    run: Callable[[Sequence[Input]], list[_Outcome]],
    loaded: Loaded,
    size: int,
    threads: int,
) -> list[Answer]:
    if size == 1:
        if loaded.is_serial or threads == 1 or len(inputs) == 1:
            return [_ask_one(run, item) for item in inputs]
        return list(workers(threads).map(lambda item: _ask_one(run, item), inputs))

    answers: list[Answer] = [Answer(None)] * len(inputs)
    order = sorted(range(len(inputs)), key=lambda i: (_length(inputs[i]), inputs[i]))
    for start in range(0, len(order), size):
        places = order[start : start + size]
        found = _ask_batch(run, [inputs[i] for i in places])
        for place, answer in zip(places, found, strict=True):
            answers[place] = answer
    return answers


def _length(item: str | tuple[str, str]) -> int:
    return len(item) if isinstance(item, str) else sum(map(len, item))


def _ask_batch(
    run: Callable[[Sequence[Input]], list[_Outcome]], batch: Sequence[Input]
) -> list[Answer]:
    """One call for all; where that fails, one for each, so that one bad input fails alone."""
    started = time.perf_counter()
    try:
        outcomes = run(batch)
    except UserError:
        raise
    except Exception:
        return [_ask_one(run, item) for item in batch]
    seconds = time.perf_counter() - started
    return [_answer(outcome, seconds / len(batch)) for outcome in outcomes]


def _ask_one(run: Callable[[Sequence[Input]], list[_Outcome]], item: Input) -> Answer:
    started = time.perf_counter()
    try:
        outcome = run([item])[0]
    except UserError:
        raise
    except Exception as exception:
        outcome = _Outcome(None, error=_reason(exception))
    return _answer(outcome, time.perf_counter() - started)


def _answer(outcome: _Outcome, seconds: float) -> Answer:
    latency_ms = round(seconds * 1000, 3)
    return Answer(outcome.value, outcome.error, outcome.tokens, latency_ms=latency_ms)


def _reason(exception: Exception) -> str:
    detail = " ".join(str(exception).split())
    name = type(exception).__name__
    return f"{'too large' if 'OutOfMemory' in name else 'failed'}: {name}: {detail}"[:300]


# Running a model


def _run(loaded: Loaded, inputs: list[Any], prompt: str, **task: str) -> tuple[Any, list[int]]:
    """The features that the model adds, and how many tokens it read of each input."""
    import torch

    # Tokenizers keep state between calls and must not be entered twice.
    with loaded.lock:
        features = loaded.model.preprocess(inputs, prompt=prompt or None, **task)
        tokens = _tokens(features, len(inputs))
        if loaded.is_serial:
            return _forward(loaded, features, task), tokens
    with torch.inference_mode():
        return loaded.model(features, **task), tokens


def _forward(loaded: Loaded, features: Any, task: dict[str, str]) -> Any:
    import torch
    from sentence_transformers.util import batch_to_device

    with torch.inference_mode():
        return loaded.model(batch_to_device(features, loaded.model.device), **task)


def _tokens(features: Any, inputs: int) -> list[int]:
    mask = features.get("attention_mask")
    if mask is None or mask.ndim != 2 or len(mask) != inputs:
        return [0] * inputs
    return [int(count) for count in mask.sum(dim=1)]


def _vectors(
    tower: Loaded, inputs: list[Any], purpose: Purpose, prompt: str, parameters: TextEncoder
) -> list[_Outcome]:
    import numpy as np
    import torch

    features, tokens = _run(tower, inputs, prompt, task=purpose)
    rows = features["sentence_embedding"].to("cpu", torch.float32).numpy()
    rows = rows[:, : parameters.dimensions]
    outcomes = []
    for row, count in zip(rows, tokens, strict=True):
        norm = float(np.linalg.norm(row))
        usable = math.isfinite(norm) and norm > 0 and len(row) == parameters.dimensions
        if usable:
            vector = (row / norm).astype(np.float16).astype(np.float32).tolist()
            outcomes.append(_Outcome(vector, count))
        else:
            outcomes.append(_Outcome(None, count, "failed: the model gave no usable vector"))
    return outcomes


def _logits(scorer: Loaded, pairs: list[Any], prompt: str) -> list[_Outcome]:
    import torch

    features, tokens = _run(scorer, pairs, prompt)
    logits = features["scores"].to("cpu", torch.float32).reshape(-1).tolist()
    return [
        _Outcome(round(logit, 4), count)
        if math.isfinite(logit)
        else _Outcome(None, count, "failed: the model gave no number")
        for logit, count in zip(logits, tokens, strict=True)
    ]


def _prompt(tower: Loaded, purpose: Purpose, parameters: TextEncoder) -> str:
    """The profile's prompt; or the model's, the first not empty by the names that models use."""
    own = parameters.query_prompt if purpose == "query" else parameters.document_prompt
    if own is not None:
        return own
    prompts = tower.model.prompts
    names = ("query",) if purpose == "query" else ("document", "passage", "corpus")
    return next((prompts[name] for name in names if prompts.get(name)), "")


def _instruction(scorer: Loaded, parameters: CrossEncoder) -> str:
    if parameters.prompt is not None:
        return parameters.prompt
    return scorer.model.prompts.get(scorer.model.default_prompt_name) or ""
