"""How a request is sent until it has an answer: attempts, the waits between them, and the budget.

After a 429 or a server error (`failures.py` says which) the request waits as long as the server
asks for, or twice as long each time, and is sent again: `attempts` times at most, and never past
`deadline_seconds`. When nothing comes back at all, a probe finds out whether the endpoint is down.
"""

from __future__ import annotations

import asyncio
import random
import time
from typing import Any

from udfs.contracts.usage import Usage
from udfs.endpoint.availability import Availability
from udfs.endpoint.batch import Batch, Call
from udfs.endpoint.budget import cost_of
from udfs.endpoint.failures import Failure
from udfs.endpoint.replies import tokens_of
from udfs.endpoint.requests import CHAT, Job, most_tokens, probe_job
from udfs.endpoint.transport import Client
from udfs.profiles.parameters import Endpoint
from udfs.warehouse.errors import UserError

MOST_BACK_OFF = 20.0  # seconds, when the server names no time
MOST_RETRY_AFTER = 120.0  # seconds, whatever the server asks for
_PROBE_ATTEMPTS = 3
_PROBE_SECONDS = 20.0
# Between two looks whether the requests in flight have left room in the budget.
_BUDGET_SECONDS = 0.02


def back_off(failures: int, first: float, retry_after: float | None) -> float:
    """Seconds to wait after so many failures in a row; never less than the server asks for.

    The jitter keeps requests that failed together from coming back together.
    """
    if retry_after is not None:
        return min(retry_after, MOST_RETRY_AFTER) * random.uniform(1.0, 1.1)
    doubled = first * 2.0 ** min(failures - 1, 16)
    return min(doubled, MOST_BACK_OFF) * random.uniform(0.5, 1.0)


class Sender:
    """Sends the requests of one endpoint, and knows whether the endpoint is up."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.client = Client(endpoint)
        self.availability = Availability(endpoint)
        self._probing = asyncio.Lock()

    async def send(self, job: Job, call: Call, batch: Batch) -> dict[str, Any]:
        """The reply to a job, in as many attempts as the profile allows.

        Raises Failure for the request alone; EndpointDown, BudgetSpent or UserError for all.
        """
        endpoint, availability = self.endpoint, self.availability
        failure = Failure("timed out", f"no time left of {endpoint.deadline_seconds:.3g} s")
        sent_at = time.monotonic()
        for attempt in range(1, endpoint.attempts + 1):
            if call.seconds_left <= 0:
                break
            sent_at = time.monotonic()
            try:
                seconds = min(endpoint.timeout_seconds, call.seconds_left)
                return await self._attempt(job, seconds, call, batch)
            except Failure as error:
                failure = error
            if failure.reason == "bad request" and not availability.has_succeeded:
                await self._probe(job, call, batch)
            if not failure.is_transient:
                raise failure
            if failure.is_unreachable and not availability.was_reached:
                raise availability.went_down(failure)
            if availability.is_silent:
                await self._probe(job, call, batch)
            wait = back_off(attempt, endpoint.back_off_seconds, failure.wait)
            if attempt == endpoint.attempts or wait >= call.seconds_left:
                break
            await batch.pause(wait)
        if availability.succeeded_at < sent_at:
            # No request has succeeded since then: a probe tells whether the endpoint is down.
            await self._probe(job, call, batch)
        raise failure

    async def _attempt(self, job: Job, seconds: float, call: Call, batch: Batch) -> dict[str, Any]:
        """Send once, within the budget."""
        self.availability.check()
        most = most_tokens(job.body, self.endpoint)
        reserved = await self._reserve(most, batch)
        tokens = most
        call.attempts += 1
        try:
            reply = await self.client.post(job.path, job.body, seconds)
            if not reply.get("choices" if job.path == CHAT else "data"):
                said = self.client.clean(reply.get("error") or "the response holds no answer")
                raise Failure("server error", said, is_transient=True, may_be_paid=True)
            tokens = tokens_of(reply, most)
        except Failure as failure:
            if not failure.may_be_paid:
                tokens = (0, 0)
            self.availability.failed(failure)
            raise
        except UserError:
            tokens = (0, 0)
            raise
        finally:
            call.input_tokens += tokens[0]
            call.output_tokens += tokens[1]
            batch.budget.settle(reserved, self._usage(tokens))
        self.availability.succeeded()
        return reply

    async def _reserve(self, tokens: tuple[int, int], batch: Batch) -> Usage:
        """Set the request's upper bound aside, when the requests in flight leave room for it."""
        most = self._usage(tokens)
        while not batch.budget.reserve(most):
            await batch.pause(_BUDGET_SECONDS)
        return most

    def _usage(self, tokens: tuple[int, int]) -> Usage:
        return Usage(*tokens, cost_of(*tokens, self.endpoint.price))

    async def _probe(self, job: Job, call: Call, batch: Batch) -> None:
        """Ask something that every endpoint can answer, with the parameters of the job.

        Raises EndpointDown when no answer comes, and UserError when the endpoint refuses even the
        probe for the parameters of the profile.
        """
        asked_at = time.monotonic()
        async with self._probing:
            if self.availability.succeeded_at > asked_at:
                return
            seconds = min(self.endpoint.timeout_seconds, _PROBE_SECONDS)
            for attempt in range(1, _PROBE_ATTEMPTS + 1):
                try:
                    await self._attempt(probe_job(job), seconds, call, batch)
                    return
                except Failure as error:
                    failure = error
                if failure.reason == "bad request":
                    raise UserError(self._refuses_all(failure))
                if not failure.is_transient:
                    return
                if attempt < _PROBE_ATTEMPTS:
                    await batch.pause(
                        back_off(attempt, self.endpoint.back_off_seconds, failure.wait)
                    )
            raise self.availability.went_down(failure)

    def _refuses_all(self, failure: Failure) -> str:
        return (
            f"{self.endpoint.base_url} refuses every request to model '{self.endpoint.model}' "
            f"({failure.detail}); correct its parameters in the profile (`json_schema: false` for "
            "a server without JSON schemas)"
        )
