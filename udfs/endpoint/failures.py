"""What it means when a request brings no answer: what each status says, and whether to send again.

A 429 or a status from 500 on may pass: the request is sent again (`retry.py`). A refused key, an
unknown model or an empty account concerns every request: the build stops and says what to correct.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, NamedTuple

from pydantic_core import from_json

from udfs.profiles.parameters import Endpoint
from udfs.warehouse.errors import UserError

if TYPE_CHECKING:
    import httpx2

# The headers in which a server says how long to wait, and their units in seconds.
PAUSE_HEADERS = {"retry-after-ms": 0.001, "retry-after": 1.0}


class EndpointDown(UserError):
    """The endpoint gives no answers any more. Raised once all answers that came are handed out."""


class Failure(Exception):
    """Why a request has no answer; reason one of contracts.answer.REASONS, detail without the key.

    is_transient: sending it again may help. may_be_paid: the server may have worked for it.
    is_unreachable: no connection came about. wait: seconds that the server asks to wait.
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


class _Refusal(NamedTuple):
    """An error status, with the code and the message in the body of the response."""

    status: int
    code: str
    message: str


def failure_of(
    response: httpx2.Response, endpoint: Endpoint, clean: Callable[[object], str]
) -> Failure | UserError:
    """What a response with an error status means.

    A UserError says what is wrong for every request; a Failure concerns this one. clean: makes a
    text of the server one bounded line without the key.
    """
    refusal = _read(response, clean)
    status, code, message = refusal
    said = f"{status} {message}".strip()
    if setting := _setting_error(refusal, endpoint, clean):
        return UserError(setting)
    if status == 429:
        return Failure("rate limited", said, is_transient=True, wait=retry_after(response.headers))
    if status in (408, 409, 425) or status >= 500:
        # After 408 and 504, which a proxy sends, the model behind the proxy may still work.
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


def _read(response: httpx2.Response, clean: Callable[[object], str]) -> _Refusal:
    """Status, code and message of an error in any of the usual layouts."""
    try:
        content = from_json(response.content)
    except ValueError:
        content = None
    error = content.get("error", content) if isinstance(content, dict) else None
    if not isinstance(error, dict):
        # A page of HTML says nothing; a line of text may.
        said = error if isinstance(error, str) else response.text
        return _Refusal(response.status_code, "", "" if "<" in said else clean(said))
    code = f"{error.get('code') or ''} {error.get('type') or ''}".strip()
    message = error.get("message") or error.get("detail") or code
    return _Refusal(response.status_code, code, clean(message))


def _setting_error(
    refusal: _Refusal, endpoint: Endpoint, clean: Callable[[object], str]
) -> str | None:
    """The setting that is wrong for every request, and what to do; None for a status of this one.

    The server's words on a key are left out: some quote parts of it.
    """
    status, code, message = refusal
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
            f"address ({clean(f'{status} {message}')}); correct the profile (most "
            "addresses end in /v1)"
        )
    if 300 <= status < 400:
        return f"`base_url`: {url} redirects ({status}); give the address it leads to"
    return None


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the headers ask to wait: retry-after-ms, or Retry-After in seconds or a date.

    None when no header holds a number or a date. Never negative, never infinite.
    """
    for name, unit in PAUSE_HEADERS.items():
        seconds = _number(headers.get(name, ""))
        if seconds is not None:
            return max(0.0, seconds * unit)
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
    except (TypeError, ValueError, OverflowError):
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.now(UTC)).total_seconds())


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
