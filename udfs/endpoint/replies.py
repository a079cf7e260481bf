"""What is read out of a server's reply: its text or vector, and the tokens that it took."""

from __future__ import annotations

import math
from typing import Any

from pydantic import ValidationError

from udfs.endpoint.failures import Failure
from udfs.warehouse.errors import UserError


def tokens_of(reply: dict[str, Any], most: tuple[int, int]) -> tuple[int, int]:
    """Input and output tokens as the server counts them; the most there can be if it does not."""
    usage = reply.get("usage")
    if not isinstance(usage, dict):
        return most

    def counted(name: str, instead: int) -> int:
        count = usage.get(name)
        return count if isinstance(count, int) and 0 <= count < 2**31 else instead

    return counted("prompt_tokens", most[0]), counted("completion_tokens", most[1])


def text_of(reply: dict[str, Any]) -> str:
    """What the model wrote. Raises Failure when it refused, was cut off or wrote nothing."""
    try:
        choice = reply["choices"][0]
        message, finish = choice["message"], choice.get("finish_reason")
        content, refusal = message.get("content"), message.get("refusal")
    except (TypeError, KeyError, IndexError, AttributeError):
        raise Failure("off schema", "the response is no chat completion") from None
    if refusal:
        raise Failure("refused", str(refusal))
    if finish == "content_filter":
        raise Failure("refused", "stopped by the content filter")
    if finish == "length":
        raise Failure("cut off", "the answer reached its token limit")
    if not isinstance(content, str) or not content.strip():
        raise Failure("empty", "the model wrote nothing")
    return content


def embedding_of(reply: dict[str, Any], dimensions: int | None) -> list[float]:
    """The vector. Raises Failure, or UserError when its length is not the profile's."""
    try:
        vector = [float(number) for number in reply["data"][0]["embedding"]]
    except (TypeError, KeyError, IndexError, ValueError):
        raise Failure("off schema", "the response holds no embedding") from None
    if not vector or not all(math.isfinite(number) for number in vector):
        raise Failure("off schema", "the embedding is empty or not finite")
    if dimensions is not None and len(vector) != dimensions:
        raise UserError(
            f"`dimensions`: the endpoint's vectors have {len(vector)}, the profile says "
            f"{dimensions}; correct it"
        )
    return vector


def what_is_wrong(error: ValidationError) -> str:
    """What does not fit the schema, without the answer itself."""
    parts = error.errors(include_url=False, include_context=False, include_input=False)
    named = [(".".join(str(place) for place in part["loc"]), part["msg"]) for part in parts[:3]]
    return "; ".join(f"{place}: {said}" if place else said for place, said in named)
