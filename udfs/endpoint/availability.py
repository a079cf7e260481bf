"""Whether an endpoint answers at all: what its latest attempts brought back."""

from __future__ import annotations

import math
import time

from udfs.endpoint.failures import EndpointDown, Failure
from udfs.profiles.parameters import Endpoint

# After this time an endpoint that was down is tried again.
_DOWN_SECONDS = 30.0


class Availability:
    """What is known of one endpoint, over all batches and threads.

    succeeded_at: when the latest attempt succeeded, by the monotonic clock; minus infinity before
    the first success. was_reached: some attempt found a server there.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.succeeded_at = -math.inf
        self.was_reached = False
        # Failed attempts in a row, and how many of them are a reason to send a probe.
        self._silent = 0
        self._most_silent = max(10, 2 * endpoint.in_flight)
        self._down_until = -math.inf
        self._down: EndpointDown | None = None

    @property
    def has_succeeded(self) -> bool:
        return self.succeeded_at > -math.inf

    @property
    def is_silent(self) -> bool:
        """Whether so many attempts in a row failed that the endpoint itself may be the reason."""
        return self._silent >= self._most_silent

    def check(self) -> None:
        """Raise EndpointDown while the endpoint is known to be down."""
        if time.monotonic() < self._down_until and self._down is not None:
            raise self._down

    def succeeded(self) -> None:
        self.was_reached = True
        self._silent = 0
        self.succeeded_at = time.monotonic()

    def failed(self, failure: Failure) -> None:
        self.was_reached = self.was_reached or not failure.is_unreachable
        self._silent = self._silent + 1 if failure.is_transient else 0

    def went_down(self, failure: Failure) -> EndpointDown:
        """The error that says why nothing is asked for a while, and what to do."""
        self._silent = 0
        self._down_until = time.monotonic() + _DOWN_SECONDS
        todo = "start it, or correct `base_url` in the profile"
        if failure.reason == "rate limited":
            todo = "wait a while, or lower `in_flight` in the profile"
        elif failure.reason == "server error":
            todo = "see what it logs, or correct `base_url` in the profile"
        self._down = EndpointDown(
            f"the endpoint {self.endpoint.base_url} gives no answers ({failure}); {todo}, and run "
            "again: what was answered is kept"
        )
        return self._down
