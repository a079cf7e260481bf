"""embed_text: a text as a vector, through sentence-transformers."""

from __future__ import annotations

import os
import threading
from functools import lru_cache
from typing import Any

import numpy as np

from udfs.profile import Embedder, model_folder
from udfs.settings import UserError

_LOCK = threading.Lock()


def embed_text(content: str, embedder: Embedder) -> list[float]:
    """The normalised vector of one text, rounded to float16 so that a last bit decides nothing."""
    with _LOCK:
        model = _load(embedder)
        # The tokenizer keeps state between calls and must not be entered twice.
        features = model.preprocess([content])
    import torch

    with torch.inference_mode():
        output = model(features)["sentence_embedding"][0]
    vector = output.to(torch.float32).numpy()
    norm = float(np.linalg.norm(vector))
    return (vector / max(norm, 1e-12)).astype(np.float16).astype(np.float32).tolist()


@lru_cache(maxsize=2)
def _load(embedder: Embedder) -> Any:
    folder = model_folder(embedder.model)
    if folder is not None:
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()
    torch.set_num_threads(1)
    try:
        model = SentenceTransformer(str(folder or embedder.model), device="cpu")
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        raise UserError(
            f"text_embedder: '{embedder.model}' cannot be loaded; correct the profile ({reason})"
        ) from None
    model.max_seq_length = embedder.max_tokens
    model.eval()
    found = model.get_embedding_dimension()
    if found != embedder.dimensions:
        raise UserError(
            f"text_embedder: '{embedder.model}' has {found} dimensions, the profile says "
            f"{embedder.dimensions}; correct `dimensions` in the profile"
        )
    return model
