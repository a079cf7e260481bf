"""The threads that local models and rules run on."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache


@lru_cache(maxsize=4)
def workers(threads: int) -> ThreadPoolExecutor:
    """The pool of the process that all batches share."""
    return ThreadPoolExecutor(max_workers=threads, thread_name_prefix="model")
