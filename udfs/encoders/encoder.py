"""The sentence-transformers backend: texts and photos as vectors, and how well a pair fits.

Pooling, prompts and towers come from the model's own configuration. With `batch: 1` each input is
a call of its own, so that an answer never depends on its company.
"""

from __future__ import annotations

import logging
import math
import os
import re
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from pydantic import Field, model_validator

from udfs.contracts.answer import Answer
from udfs.contracts.strict import Strict
from udfs.endpoint.photo import PhotoError, read_photo, small_photo
from udfs.profiles.parameters import model_folder
from udfs.roles.asking import workers
from udfs.warehouse.errors import UserError

Purpose = Literal["query", "document"]
Input = TypeVar("Input", str, tuple[str, str])


class _Model(Strict):
    """A model that sentence-transformers loads.

    model: package:<package>/<folder>, a folder, or a name on a hub. device: auto, cpu, cuda,
    cuda:1, mps. dtype: auto is as the model was saved. batch: inputs a call; more than one is for
    accelerators, and lets the last bits of an answer depend on its company.
    """

    backend: Literal["sentence_transformers"]
    model: str = Field(min_length=1)
    revision: str | None = Field(default=None, min_length=1)
    trust_remote_code: bool = False
    device: str = Field(default="auto", pattern=r"^(auto|cpu|mps|(cuda|xpu|npu)(:\d+)?)$")
    dtype: Literal["auto", "float32", "float16", "bfloat16"] = "auto"
    max_tokens: int = Field(gt=2, le=131072)
    batch: int = Field(default=1, ge=1, le=4096)

    @model_validator(mode="after")
    def _revision_is_of_a_hub(self) -> _Model:
        if self.revision and self.model.startswith(("package:", "/", ".", "~")):
            raise ValueError("revision is for a model on a hub, and this one is a folder")
        return self


class TextEncoder(_Model):
    """Texts as vectors of `dimensions`; fewer than the model has cuts them off (matryoshka).

    query_model: the tower for queries, where it is a model of its own, and its query_revision.
    Prompts are put before a text; without them the model's own are.
    """

    dimensions: int = Field(gt=0, le=65536)
    query_model: str | None = Field(default=None, min_length=1)
    query_revision: str | None = Field(default=None, min_length=1)
    query_prompt: str | None = None
    document_prompt: str | None = None


class PhotoEncoder(TextEncoder):
    """Photos as vectors, and queries about them as vectors of the same space.

    max_side: a photo is made smaller until its longer side has so many pixels.
    """

    max_side: int = Field(default=1024, ge=16, le=8192)


class CrossEncoder(_Model):
    """How well a document, a text or a photo, answers a query.

    prompt: an instruction to the model; without it the model's own is used.
    """

    prompt: str | None = None
    max_side: int = Field(default=1024, ge=16, le=8192)


# Vectors


def embed_texts(
    contents: Sequence[str],
    purpose: Purpose,
    parameters: TextEncoder,
    threads: int,
    role: str = "text_embedder",
) -> list[Answer]:
    """A vector of each text, in their order: normalised and rounded to float16.

    Raises UserError, naming the role, for a model that cannot be used as the profile says.
    """
    tower = _embedder(parameters, purpose, role)
    prompt = _prompt(tower, purpose, parameters)

    def embed(batch: Sequence[str]) -> list[_Outcome]:
        return _vectors(tower, [tower.text(text) for text in batch], purpose, prompt, parameters)

    return _ask(contents, embed, tower, parameters.batch, threads)


def embed_photos(
    photos: Sequence[str],
    folder: Path,
    parameters: PhotoEncoder,
    threads: int,
    role: str = "photo_embedder",
) -> list[Answer]:
    """A vector of each photo, comparable with those that `embed_texts` gives for queries.

    photos: paths below the folder; one that leads out of it is an error answer.
    """
    tower = _embedder(parameters, "document", role)
    _require_photos(tower, parameters, role)
    prompt = _prompt(tower, "document", parameters)

    def embed(batch: Sequence[str]) -> list[_Outcome]:
        images = [_image(folder, photo, parameters.max_side) for photo in batch]
        return _vectors(tower, images, "document", prompt, parameters)

    return _ask(photos, embed, tower, parameters.batch, threads)


# Pairs


def score_pairs(
    pairs: Sequence[tuple[str, str]],
    parameters: CrossEncoder,
    threads: int,
    role: str = "reranker",
) -> list[Answer]:
    """The relevance logit of each (query, text), rounded to 4 decimals.

    A logit and not a probability: near 0 and 1 a rounded probability no longer ranks.
    """
    scorer = _scorer(parameters, role)
    prompt = _instruction(scorer, parameters)

    def score(batch: Sequence[tuple[str, str]]) -> list[_Outcome]:
        return _logits(scorer, [(scorer.text(q), scorer.text(d)) for q, d in batch], prompt)

    return _ask(pairs, score, scorer, parameters.batch, threads)


def score_photos(
    pairs: Sequence[tuple[str, str]],
    folder: Path,
    parameters: CrossEncoder,
    threads: int,
    role: str = "photo_reranker",
) -> list[Answer]:
    """The relevance logit of each (query, photo below the folder), rounded to 4 decimals."""
    scorer = _scorer(parameters, role)
    _require_photos(scorer, parameters, role)
    prompt = _instruction(scorer, parameters)

    def score(batch: Sequence[tuple[str, str]]) -> list[_Outcome]:
        opened = [
            (scorer.text(query), _image(folder, photo, parameters.max_side))
            for query, photo in batch
        ]
        return _logits(scorer, opened, prompt)

    return _ask(pairs, score, scorer, parameters.batch, threads)


def _image(folder: Path, photo: str, side: int) -> dict[str, Any]:
    return {"image": small_photo(read_photo(folder, photo), side)}


# Asking: one input a call in worker threads, or sorted batches one after the other


class _Outcome(NamedTuple):
    value: Any
    tokens: int = 0
    error: str | None = None


def _ask(
    inputs: Sequence[Input],
    run: Callable[[Sequence[Input]], list[_Outcome]],
    loaded: _Loaded,
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
    if isinstance(exception, PhotoError):
        return f"photo: {detail}"[:300]
    name = type(exception).__name__
    return f"{'too large' if 'OutOfMemory' in name else 'failed'}: {name}: {detail}"[:300]


# Running a model


def _run(loaded: _Loaded, inputs: list[Any], prompt: str, **task: str) -> tuple[Any, list[int]]:
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


def _forward(loaded: _Loaded, features: Any, task: dict[str, str]) -> Any:
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
    tower: _Loaded, inputs: list[Any], purpose: Purpose, prompt: str, parameters: TextEncoder
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


def _logits(scorer: _Loaded, pairs: list[Any], prompt: str) -> list[_Outcome]:
    import torch

    features, tokens = _run(scorer, pairs, prompt)
    logits = features["scores"].to("cpu", torch.float32).reshape(-1).tolist()
    return [
        _Outcome(round(logit, 4), count)
        if math.isfinite(logit)
        else _Outcome(None, count, "failed: the model gave no number")
        for logit, count in zip(logits, tokens, strict=True)
    ]


# Loading


class _Source(NamedTuple):
    """What a loaded model depends on; roles that agree in it share the model."""

    kind: Literal["embedder", "cross_encoder"]
    model: str
    revision: str | None
    trust_remote_code: bool
    device: str
    dtype: str
    max_tokens: int


class _Loaded(NamedTuple):
    """is_serial: one call at a time, because calls would share a device or state of the model.

    marks_texts: a text has to be marked as one, or the library opens a text that is the address of
    a photo.
    """

    model: Any
    lock: threading.Lock
    is_serial: bool
    reads_photos: bool
    marks_texts: bool

    def text(self, content: str) -> Any:
        return {"text": content} if self.marks_texts else content


_MODELS: dict[_Source, _Loaded] = {}
_LOADING = threading.Lock()


def _embedder(parameters: TextEncoder, purpose: Purpose, role: str) -> _Loaded:
    model = parameters.model
    if purpose == "query" and parameters.query_model:
        model = parameters.query_model
        tower = _load(parameters, "embedder", model, parameters.query_revision, role, "query_model")
    else:
        tower = _load(parameters, "embedder", model, parameters.revision, role, "model")
    found = tower.model.get_embedding_dimension()
    if found is not None and found < parameters.dimensions:
        raise UserError(
            f"{role}: '{model}' has {found} dimensions, the profile says "
            f"{parameters.dimensions}; correct `dimensions` in the profile"
        )
    return tower


def _scorer(parameters: CrossEncoder, role: str) -> _Loaded:
    revision = parameters.revision
    scorer = _load(parameters, "cross_encoder", parameters.model, revision, role, "model")
    labels = scorer.model.num_labels
    if labels != 1:
        raise UserError(
            f"{role}: '{parameters.model}' gives {labels} scores a pair, where a reranker gives "
            "one; correct `model` in the profile"
        )
    return scorer


def _require_photos(loaded: _Loaded, parameters: _Model, role: str) -> None:
    if not loaded.reads_photos:
        raise UserError(
            f"{role}: '{parameters.model}' reads no photos; correct `model` in the profile"
        )


def _load(
    parameters: _Model,
    kind: Literal["embedder", "cross_encoder"],
    model: str,
    revision: str | None,
    role: str,
    key: str,
) -> _Loaded:
    source = _Source(
        kind,
        model,
        revision,
        parameters.trust_remote_code,
        parameters.device,
        parameters.dtype,
        parameters.max_tokens,
    )
    with _LOADING:
        if source not in _MODELS:
            _MODELS[source] = _open(source, role, key)
        return _MODELS[source]


def _open(source: _Source, role: str, key: str) -> _Loaded:
    folder = model_folder(source.model)
    if folder is not None and source.revision:
        raise UserError(
            f"{role}: '{source.model}' is a folder and has no revision; remove `revision`"
        )
    try:
        model, missing = _read(source, folder)
    except Exception as error:
        if "trust_remote_code" in str(error):
            raise UserError(
                f"{role}: '{source.model}' brings code of its own; set `trust_remote_code: true` "
                "in the profile if you have read that code"
            ) from None
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]
        raise UserError(
            f"{role}: '{source.model}' cannot be loaded; correct `{key}` in the profile ({reason})"
        ) from None
    if missing:
        raise UserError(
            f"{role}: '{source.model}' lacks weights ({', '.join(missing)[:200]}) and would answer "
            f"at random; correct `{key}` in the profile"
        )
    _bound_length(model, source, role)
    model.eval()
    reads = _reads(model)
    marks_texts = bool(reads - {"text", "message"}) or (
        source.kind == "cross_encoder" and _takes_messages_in_parts(model)
    )
    is_serial = model.device.type != "cpu" or _keeps_state(model)
    return _Loaded(model, threading.Lock(), is_serial, "image" in reads, marks_texts)


def _reads(model: Any) -> set[str]:
    """text, image, message (a chat template), ..."""
    reads: set[str] = set()
    for modality in model.modalities:
        reads.update((modality,) if isinstance(modality, str) else modality)
    return reads


def _takes_messages_in_parts(model: Any) -> bool:
    formatter = getattr(model[0], "input_formatter", None)
    return "message" in model.modalities and getattr(formatter, "message_format", "") != "flat"


def _read(source: _Source, folder: Path | None) -> tuple[Any, list[str]]:
    """The model, and the names of weights that it needs and lacks."""
    if folder is not None:
        return _construct(source, str(folder), local=True)
    try:
        # What was fetched once is used as it is, without a look at the hub for newer weights.
        return _construct(source, source.model, local=True)
    except OSError:
        return _construct(source, source.model, local=False)


def _construct(source: _Source, location: str, local: bool) -> tuple[Any, list[str]]:
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    import sentence_transformers
    import torch
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()
    # The workers are the threads; a model that took more would also add in another order.
    torch.set_num_threads(1)
    is_embedder = source.kind == "embedder"
    classes = {
        "embedder": sentence_transformers.SentenceTransformer,
        "cross_encoder": sentence_transformers.CrossEncoder,
    }
    with _LoadReport() as report:
        model = classes[source.kind](
            location,
            device=None if source.device == "auto" else source.device,
            revision=source.revision,
            trust_remote_code=source.trust_remote_code,
            local_files_only=local,
            model_kwargs={"dtype": source.dtype},
        )
    # No pooling of an embedder reads the pooler, and many come without.
    return model, [name for name in report.missing if not is_embedder or "pooler" not in name]


class _LoadReport(logging.Handler):
    """Collects the weights that transformers did not find and has set at random: it only warns."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.missing: list[str] = []
        self._logger = logging.getLogger("transformers.modeling_utils")

    def emit(self, record: logging.LogRecord) -> None:
        plain = re.sub(r"\x1b\[[0-9;]*m", "", record.getMessage())
        self.missing += re.findall(r"^(\S.*?)\s*\|\s*MISSING\b", plain, flags=re.MULTILINE)

    def __enter__(self) -> _LoadReport:
        from transformers.utils import logging as transformers_logging

        self._verbosity = transformers_logging.get_verbosity()
        transformers_logging.set_verbosity(min(self._verbosity, logging.WARNING))
        self._logger.propagate = False
        self._logger.addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        from transformers.utils import logging as transformers_logging

        self._logger.removeHandler(self)
        self._logger.propagate = True
        transformers_logging.set_verbosity(self._verbosity)


def _bound_length(model: Any, source: _Source, role: str) -> None:
    """Cut inputs at max_tokens, in each tower; a model without places for so many is refused."""
    from sentence_transformers.base.modules import Transformer

    for module in model.modules():
        if not isinstance(module, Transformer):
            continue
        config = module.model.config.get_text_config()
        places = (getattr(config, "max_position_embeddings", None) or 0) - _first_place(module)
        if 0 < places < source.max_tokens:
            raise UserError(
                f"{role}: '{source.model}' reads {places} tokens at most, the profile says "
                f"{source.max_tokens}; lower `max_tokens` in the profile"
            )
        module.max_seq_length = source.max_tokens


def _first_place(network: Any) -> int:
    """The position of the first token: the family of RoBERTa counts on from its padding token."""
    tables = (getattr(module, "position_embeddings", None) for module in network.modules())
    paddings = (getattr(table, "padding_idx", None) for table in tables)
    return next((padding + 1 for padding in paddings if padding is not None), 0)


def _keeps_state(model: Any) -> bool:
    """Whether a call leaves something in the model that a call beside it could read."""
    for module in model.modules():
        if hasattr(module, "rope_deltas") or getattr(module, "rope_type", "") in (
            "dynamic",
            "longrope",
        ):
            return True
    return False


def _prompt(tower: _Loaded, purpose: Purpose, parameters: TextEncoder) -> str:
    """The profile's prompt; or the model's, the first not empty by the names that models use."""
    own = parameters.query_prompt if purpose == "query" else parameters.document_prompt
    if own is not None:
        return own
    prompts = tower.model.prompts
    names = ("query",) if purpose == "query" else ("document", "passage", "corpus")
    return next((prompts[name] for name in names if prompts.get(name)), "")


def _instruction(scorer: _Loaded, parameters: CrossEncoder) -> str:
    if parameters.prompt is not None:
        return parameters.prompt
    return scorer.model.prompts.get(scorer.model.default_prompt_name) or ""
