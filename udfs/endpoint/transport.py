"""One HTTP request to an endpoint: its bounds in bytes and seconds, and what each failure means.

Retries, repairs and budgets are decided above, in `calls.py`: the client itself sends once.
"""

from __future__ import annotations

import asyncio
import logging
import os
from typing import Any

import httpx2
import openai
from pydantic_core import from_json

from udfs.endpoint.requests import Endpoint
from udfs.endpoint.retry import PAUSE_HEADERS, retry_after
from udfs.warehouse.errors import UserError

MOST_BYTES = 2_000_000  # of an answer; an embedding of 65,536 numbers fits
MOST_ERROR_BYTES = 20_000
_MOST_CONNECT_SECONDS = 10.0
# Shorter ones are no secrets ("none", "EMPTY") and could stand in any text.
_LEAST_SECRET = 6


class Failure(Exception):
    """Why a request has no answer; reason one of batch.REASONS, detail without the key.

    is_transient: sending it again may help. may_be_paid: the server may have worked for it.
    is_unreachable: no connection came about.
    """

    def __init__(
        self,
        reason: str,
        detail: str,
        *,
        is_transient: bool = False,
        may_be_paid: bool = False,
        is_unreachable: bool = False,
        wait: float | None = None,
    ) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
        self.is_transient = is_transient
        self.may_be_paid = may_be_paid
        self.is_unreachable = is_unreachable
        self.wait = wait


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
        # What frames the body is no longer true; what asks for a pause is all that is read.
        pauses = {n: response.headers[n] for n in PAUSE_HEADERS if n in response.headers}
        return httpx2.Response(
            response.status_code, headers=pauses, content=bytes(body), request=request
        )


class Client:
    """The `openai` client of one endpoint; it lives on one event loop."""

    def __init__(self, endpoint: Endpoint) -> None:
        # At DEBUG these would write headers, and with them what an echoing server sends back.
        for name in ("openai", "httpx2", "httpcore2"):
            logging.getLogger(name).setLevel(logging.WARNING)
        self.endpoint = endpoint
        # One more for the request that finds out whether the endpoint is up.
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
        """The JSON object that the server answers with. Raises Failure, or UserError for what is
        wrong with the settings whatever is asked."""
        self._key()
        try:
            async with asyncio.timeout(seconds):
                # Past its models of requests and answers: that saves a quarter of the time.
                response = await self._client.post(path, body=body, cast_to=httpx2.Response)
        except (TimeoutError, openai.APITimeoutError) as error:
            raise _timed_out(error, seconds) from None
        except openai.APIStatusError as error:
            raise self._refusal(error.response) from None
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

    def _refusal(self, response: httpx2.Response) -> Exception:
        """What an answer with an error status means."""
        status, code, message = self._error_of(response)
        said = f"{status} {message}".strip()
        if setting := self._setting_error(status, code, message):
            return UserError(setting)
        if status == 429:
            return Failure(
                "rate limited", said, is_transient=True, wait=retry_after(response.headers)
            )
        if status in (408, 409, 425) or status >= 500:
            # Of a time-out in between, the model behind it knows nothing and works on.
            return Failure(
                "server error",
                said,
                is_transient=True,
                wait=retry_after(response.headers),
                may_be_paid=status in (408, 504),
            )
        if "content_filter" in code or "content_policy" in code:
            return Failure("refused", said)
        return Failure("bad request", said)

    def _setting_error(self, status: int, code: str, message: str) -> str | None:
        """What is wrong for every request, and what to do; None for a status of one request.

        The server's words on a key are left out: some quote parts of it.
        """
        endpoint = self.endpoint
        key, url = endpoint.api_key_env or "`api_key_env`", endpoint.base_url
        if status in (401, 403):
            return (
                f"{key}: {url} does not accept the key for model '{endpoint.model}' ({status}); "
                f"set {key} to a key that may use it"
            )
        if status == 402 or "insufficient_quota" in code:
            return f"{key}: the account at {url} has no credit left ({status}); top it up"
        if status in (404, 405):
            return (
                f"`model` or `base_url`: {url} knows no model '{endpoint.model}', or has no such "
                f"address ({self.clean(f'{status} {message}')}); correct the profile (most "
                "addresses end in /v1)"
            )
        if 300 <= status < 400:
            return f"`base_url`: {url} redirects ({status}); give the address it leads to"
        return None

    def _error_of(self, response: httpx2.Response) -> tuple[int, str, str]:
        """Status, code and message of an error in any of the usual layouts."""
        try:
            content = from_json(response.content)
        except ValueError:
            content = None
        error = content.get("error", content) if isinstance(content, dict) else None
        if not isinstance(error, dict):
            # A page of HTML says nothing; a line of text may.
            said = error if isinstance(error, str) else response.text
            return response.status_code, "", "" if "<" in said else self.clean(said)
        code = f"{error.get('code') or ''} {error.get('type') or ''}".strip()
        message = error.get("message") or error.get("detail") or code
        return response.status_code, code, self.clean(message)


def _timed_out(error: Exception, seconds: float) -> Failure:
    # A connection that was never made has cost nothing.
    never_sent = isinstance(error.__cause__, (httpx2.ConnectTimeout, httpx2.PoolTimeout))
    detail = f"no whole answer within {seconds:.3g} s"
    return Failure("timed out", detail, is_transient=True, may_be_paid=not never_sent)
