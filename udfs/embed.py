"""embed_text: a text as a vector."""

from __future__ import annotations

from udfs.encoders import Purpose, TextEncoder, embed_texts


def embed_text(content: str, embedder: TextEncoder, purpose: Purpose = "document") -> list[float]:
    """The normalised vector of one text. Raises RuntimeError when the model fails on it."""
    answer = embed_texts([content], purpose, embedder, threads=1)[0]
    if answer.error:
        raise RuntimeError(answer.error)
    return answer.value
