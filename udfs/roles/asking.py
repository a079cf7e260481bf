"""How local models are asked: a request a call, so that no answer depends on its company."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from udfs.contracts.answer import Answer
from udfs.warehouse.errors import UserError

if TYPE_CHECKING:
    from udfs.endpoint.budget import Budget
    from udfs.profiles.profile import Profile

Request = TypeVar("Request")


@lru_cache(maxsize=4)
def workers(threads: int) -> ThreadPoolExecutor:
    """The pool of the process that all batches share."""
    return ThreadPoolExecutor(max_workers=threads, thread_name_prefix="model")


def ask_once(ask: Callable[[Request], Any], request: Request) -> Answer:
    """One call; an exception becomes its error, but a UserError (a wrong setting) is raised."""
    started = time.perf_counter()
    value, error = None, None
    try:
        value = ask(request)
    except UserError:
        raise
    except Exception as exception:
        error = f"failed: {type(exception).__name__}: {exception}"[:300]
    latency_ms = round((time.perf_counter() - started) * 1000, 3)
    # A local model may say itself what it has read.
    return Answer(value, error, getattr(value, "tokens", 0), latency_ms=latency_ms)


def ask_each(
    ask: Callable[[Request], Any], requests: Sequence[Request], threads: int
) -> list[Answer]:
    """Answers in the order of the requests; equal requests are asked once."""
    distinct = list(dict.fromkeys(requests))
    answers = workers(threads).map(lambda request: ask_once(ask, request), distinct)
    by_request = dict(zip(distinct, answers, strict=True))
    return [by_request[request] for request in requests]


@dataclass(frozen=True)
class Asking:
    """What a role needs besides its requests and parameters.

    on_answer is called with the key and the answer as soon as a paid call ends, before its batch
    does. stand_ins: the profile that answers in place of endpoints, in a dry run.
    """

    threads: int
    photo_folder: Path | None = None
    on_answer: Callable[[str, Answer], None] | None = None
    budget: Budget | None = None
    stand_ins: Profile | None = None
