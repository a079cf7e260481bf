"""One HTTP request to an endpoint: its bounds in bytes and seconds, and its key.

The client sends once. `retry.py` decides whether a request is sent again, and keeps the budget.
"""

from __future__ import annotations

import asyncio
import logging
import os
from typing import Any

import httpx2
import openai
from pydantic_core import from_json

from udfs.endpoint.failures import PAUSE_HEADERS, Failure, failure_of
from udfs.profiles.parameters import Endpoint
from udfs.warehouse.errors import UserError

MOST_BYTES = 2_000_000  # of an answer; an embedding of 65,536 numbers fits
MOST_ERROR_BYTES = 20_000
_MOST_CONNECT_SECONDS = 10.0
# Shorter keys are no secrets ("none", "EMPTY") and could stand in any text.
_LEAST_SECRET = 6


class BoundedClient(httpx2.AsyncClient):
    """Reads bodies itself and stops at a bound, where the plain client reads whatever comes."""

    async def send(self, request: httpx2.Request, **kwargs: Any) -> httpx2.Response:
        response = await super().send(request, **(kwargs | {"stream": True}))
        body = bytearray()
        try:
            async for chunk in response.aiter_bytes():
                body += chunk
                if not response.is_success and len(body) > MOST_ERROR_BYTES:
                    break
                if len(body) > MOST_BYTES:
                    detail = f"the answer is longer than {MOST_BYTES:,} bytes"
                    raise Failure("too large", detail, may_be_paid=True)
        finally:
            await response.aclose()
        # Headers of length and encoding no longer fit the body, which may be cut and is decoded.
        # The only headers that a caller reads are those that say how long to wait.
        pauses = {
            name: response.headers[name] for name in PAUSE_HEADERS if name in response.headers
        }
        return httpx2.Response(
            response.status_code, headers=pauses, content=bytes(body), request=request
        )


class Client:
    """The `openai` client of one endpoint; it lives on one event loop."""

    def __init__(self, endpoint: Endpoint) -> None:
        # At DEBUG these loggers would write headers, and a server may send the key back in one.
        for name in ("openai", "httpx2", "httpcore2"):
            logging.getLogger(name).setLevel(logging.WARNING)
        self.endpoint = endpoint
        # One more connection, for the probe whether the endpoint is up.
        connections = endpoint.in_flight + 1
        seconds = endpoint.timeout_seconds
        self._client = openai.AsyncOpenAI(
            api_key=self._provide_key,
            base_url=endpoint.base_url,
            max_retries=0,
            timeout=httpx2.Timeout(seconds, connect=min(seconds, _MOST_CONNECT_SECONDS)),
            http_client=BoundedClient(
                headers={"Accept-Encoding": "identity"},
                limits=httpx2.Limits(
                    max_connections=connections, max_keepalive_connections=connections
                ),
            ),
        )

    async def post(self, path: str, body: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The JSON object that the server answers with.

        Raises Failure, or UserError for a setting that is wrong for every request.
        """
        self._key()
        try:
            async with asyncio.timeout(seconds):
                # Without openai's models of requests and answers: that saves a quarter of the time.
                response = await self._client.post(path, body=body, cast_to=httpx2.Response)
        except (TimeoutError, openai.APITimeoutError) as error:
            raise _timed_out(error, seconds) from None
        except openai.APIStatusError as error:
            raise failure_of(error.response, self.endpoint, self.clean) from None
        except openai.APIConnectionError as error:
            raise self._no_connection(error.__cause__ or error) from None
        try:
            content = from_json(self._without_key(response.content))
        except ValueError:
            content = None
        if not isinstance(content, dict):
            detail = "the response is not a JSON object"
            raise Failure("server error", detail, is_transient=True, may_be_paid=True)
        return content

    def clean(self, text: object, most: int = 200) -> str:
        """A text of the server on one line, bounded, without the key."""
        line = " ".join(self.scrub(str(text)).split())
        return line if len(line) <= most else line[: most - 1] + "…"

    def scrub(self, text: str) -> str:
        """The text without the key, for servers that echo it."""
        key = self._secret()
        return text.replace(key, "***") if key else text

    def _key(self) -> str:
        """The key, read now. Raises UserError when it is not there or cannot be one."""
        variable, url = self.endpoint.api_key_env, self.endpoint.base_url
        if variable is None:
            return "none"
        key = os.environ.get(variable, "").strip()
        if not key:
            raise UserError(
                f"{variable} is not set; set it to the key for {url}, or write `api_key_env: null` "
                "in the profile for a server that needs none"
            )
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise UserError(f"{variable}: holds characters that no key has; copy the key again")
        return key

    async def _provide_key(self) -> str:
        return self._key()

    def _secret(self) -> str:
        variable = self.endpoint.api_key_env
        key = os.environ.get(variable, "").strip() if variable else ""
        return key if len(key) >= _LEAST_SECRET else ""

    def _without_key(self, content: bytes) -> bytes:
        key = self._secret()
        return content.replace(key.encode(), b"***") if key else content

    def _no_connection(self, cause: BaseException) -> Failure:
        is_unreachable = isinstance(cause, (httpx2.ConnectError, httpx2.ProxyError))
        said = self.clean(cause) or type(cause).__name__
        return Failure(
            "connection",
            said,
            is_transient=True,
            may_be_paid=not is_unreachable,
            is_unreachable=is_unreachable,
        )


def _timed_out(error: Exception, seconds: float) -> Failure:
    # A connection that was never made has cost nothing.
    never_sent = isinstance(error.__cause__, (httpx2.ConnectTimeout, httpx2.PoolTimeout))
    detail = f"no whole answer within {seconds:.3g} s"
    return Failure("timed out", detail, is_transient=True, may_be_paid=not never_sent)
