"""The models that sentence-transformers loads: once for all roles that agree in their parameters.

A model that cannot do what the profile says, or lacks weights, is refused before it is asked.
"""

from __future__ import annotations

import logging
import os
import re
import threading
from pathlib import Path
from typing import Any, Literal, NamedTuple

from udfs.profiles.parameters import CrossEncoder, SentenceTransformer, TextEncoder, model_folder
from udfs.warehouse.errors import UserError

Purpose = Literal["query", "document"]


class _Source(NamedTuple):
    """What a loaded model depends on; roles that agree in it share the model."""

    kind: Literal["embedder", "cross_encoder"]
    model: str
    revision: str | None
    trust_remote_code: bool
    device: str
    dtype: str
    max_tokens: int


class Loaded(NamedTuple):
    """A model, and how it must be called.

    is_serial: one call at a time, because calls would share a device or state of the model.
    marks_texts: a text has to be marked as one, or the library opens a text that is the address of
    a photo.
    """

    model: Any
    lock: threading.Lock
    is_serial: bool
    marks_texts: bool

    def text(self, content: str) -> Any:
        return {"text": content} if self.marks_texts else content


_MODELS: dict[_Source, Loaded] = {}
_LOADING = threading.Lock()


def embedder(parameters: TextEncoder, purpose: Purpose, role: str) -> Loaded:
    """The tower for a purpose. Raises UserError that names the role and the key to correct."""
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


def cross_encoder(parameters: CrossEncoder, role: str) -> Loaded:
    """The model that scores pairs. Raises UserError that names the role and the key to correct."""
    revision = parameters.revision
    scorer = _load(parameters, "cross_encoder", parameters.model, revision, role, "model")
    labels = scorer.model.num_labels
    if labels != 1:
        raise UserError(
            f"{role}: '{parameters.model}' gives {labels} scores a pair, where a reranker gives "
            "one; correct `model` in the profile"
        )
    return scorer


def _load(
    parameters: SentenceTransformer,
    kind: Literal["embedder", "cross_encoder"],
    model: str,
    revision: str | None,
    role: str,
    key: str,
) -> Loaded:
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


def _open(source: _Source, role: str, key: str) -> Loaded:
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
    return Loaded(model, threading.Lock(), is_serial, marks_texts)


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
        # A model that was fetched once is used as it is; the hub is not asked for newer weights.
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
    # The workers are the threads; a model with more threads would also add in another order.
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
    # No pooling of an embedder reads the pooler, and many embedders come without one.
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
