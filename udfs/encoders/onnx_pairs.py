"""How well a passage answers a query, by a cross-encoder in an ONNX file."""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Any, NamedTuple

from udfs.profiles.parameters import OnnxCrossEncoder, model_folder
from udfs.warehouse.errors import UserError

_LOCK = threading.Lock()


class Score(NamedTuple):
    """A relevance logit (about -11 to 9) and how many tokens the model read for it."""

    logit: float
    tokens: int


class _Model(NamedTuple):
    session: Any
    tokenizer: Any
    inputs: tuple[str, ...]


def score_pair(query: str, passage: str, encoder: OnnxCrossEncoder) -> Score:
    """Score one pair in a call of its own, because int8 models answer differently in company."""
    import numpy as np

    with _LOCK:
        model = _load(encoder)
    encoding = model.tokenizer.encode(query, passage)
    arrays = {
        "input_ids": encoding.ids,
        "attention_mask": encoding.attention_mask,
        "token_type_ids": encoding.type_ids,
    }
    feed = {name: np.asarray([arrays[name]], dtype=np.int64) for name in model.inputs}
    logit = float(model.session.run(None, feed)[0].reshape(-1)[0])
    return Score(round(logit, 4), len(encoding.ids))


@lru_cache(maxsize=2)
def _load(encoder: OnnxCrossEncoder) -> _Model:
    import onnxruntime
    from tokenizers import Tokenizer

    folder = model_folder(encoder.model)
    if folder is None or not (folder / "model.onnx").is_file():
        raise UserError(f"cross-encoder: '{encoder.model}' has no model.onnx; correct the profile")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length=encoder.max_tokens)

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
    )
    return _Model(session, tokenizer, tuple(node.name for node in session.get_inputs()))
