"""Asks one question a row, in worker threads, so that an answer never depends on its company."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any, NamedTuple

from udfs.settings import UserError

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


@lru_cache(maxsize=4)
def workers(threads: int) -> ThreadPoolExecutor:
    """The pool of the process that all batches share."""
    return ThreadPoolExecutor(max_workers=threads, thread_name_prefix="model")


def ask_once(ask: Callable[..., Any], row: Sequence[Any]) -> Answer:
    """One call; an exception becomes its error, but a UserError (a wrong setting) is raised."""
    started = time.perf_counter()
    value, error = None, None
    try:
        value = ask(*row)
    except UserError:
        raise
    except Exception as exception:
        error = f"{type(exception).__name__}: {exception}"[:300]
    latency_ms = round((time.perf_counter() - started) * 1000, 3)
    return Answer(value, error, latency_ms=latency_ms)


def ask_rows(ask: Callable[..., Any], columns: Sequence[Any], threads: int) -> list[Answer]:
    """Answers in row order for Arrow columns of arguments; equal rows are asked once."""
    rows = list(zip(*(column.to_pylist() for column in columns), strict=True))
    distinct = list(dict.fromkeys(rows))
    answers = workers(threads).map(lambda row: ask_once(ask, row), distinct)
    by_row = dict(zip(distinct, answers, strict=True))
    return [by_row[row] for row in rows]
