"""The requests that are asked together, and what one call has taken so far."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from udfs.contracts.answer import Answer
from udfs.endpoint.budget import Budget, cost_of
from udfs.endpoint.failures import Failure
from udfs.profiles.parameters import Endpoint

# Is given the key of a request and its answer, as soon as the call ends.
OnAnswer = Callable[[str, Answer], None]


class Batch:
    """The requests of one `ask_chat`; the first error that concerns all of them stops the batch."""

    def __init__(self, budget: Budget, on_answer: OnAnswer | None) -> None:
        self.budget = budget
        self.on_answer = on_answer
        self.error: Exception | None = None
        self._stopped = asyncio.Event()

    def stop(self, error: Exception) -> None:
        self.error = self.error or error
        self._stopped.set()

    async def pause(self, seconds: float) -> None:
        """Sleep, but no longer than the batch goes on. Raises the error that stopped the batch."""
        try:
            await asyncio.wait_for(self._stopped.wait(), seconds)
        except TimeoutError:
            return
        assert self.error is not None
        raise self.error


class Call:
    """What one answer has taken so far."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.started = time.monotonic()
        self.attempts = self.input_tokens = self.output_tokens = 0
        self.failure: Failure | None = None

    @property
    def seconds_left(self) -> float:
        return self.started + self.endpoint.deadline_seconds - time.monotonic()

    def answer(self, value: Any) -> Answer:
        """The value, or the last failure when it is None."""
        return Answer(
            value=value,
            error=str(self.failure) if value is None else None,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            latency_ms=round((time.monotonic() - self.started) * 1000, 3),
            cost=cost_of(self.input_tokens, self.output_tokens, self.endpoint.price),
            attempts=self.attempts,
        )
