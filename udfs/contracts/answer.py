"""What every role answers a request with: a value, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

# Why there is no answer; the first words of `Answer.error`.
REASONS = (
    "timed out",
    "rate limited",
    "server error",
    "connection",
    "empty",
    "cut off",
    "off schema",
    "refused",
    "too large",
    "photo",
    "bad request",
    "failed",
)


class Answer(NamedTuple):
    """The outcome of one request: `value` is None when `error` says why there is none.

    error: '<reason>: <detail>', reason one of REASONS. cost: US dollars by the price table of the
    profile. attempts: calls that were made for it, retries and the repair included.
    """

    value: Any
    error: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    latency_ms: float = 0.0
    cost: float = 0.0
    attempts: int = 1

    def map(self, convert: Callable[[Any], Any]) -> Answer:
        """The same outcome with its value converted; a ValueError makes it off schema."""
        if self.value is None:
            return self
        try:
            return self._replace(value=convert(self.value))
        except ValueError as error:
            reason = " ".join(str(error).split())
            return self._replace(value=None, error=f"off schema: {reason}"[:300])
