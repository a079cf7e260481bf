"""How long to wait before a request is sent again."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

MOST_BACK_OFF = 20.0  # seconds, when the server names no time
MOST_RETRY_AFTER = 120.0  # seconds, whatever the server asks for

PAUSE_HEADERS = ("retry-after-ms", "retry-after")


def back_off(failures: int, first: float, retry_after: float | None) -> float:
    """Seconds to wait after so many failures in a row; never less than the server asks for.

    The jitter keeps requests that failed together from coming back together.
    """
    if retry_after is not None:
        return min(retry_after, MOST_RETRY_AFTER) * random.uniform(1.0, 1.1)
    doubled = first * 2.0 ** min(failures - 1, 16)
    return min(doubled, MOST_BACK_OFF) * random.uniform(0.5, 1.0)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the headers ask to wait: retry-after-ms, or Retry-After in seconds or a date.

    None when they ask for nothing that can be read. Never negative, never infinite.
    """
    for name, unit in zip(PAUSE_HEADERS, (0.001, 1.0), strict=True):
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
