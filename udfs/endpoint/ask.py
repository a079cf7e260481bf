"""The backend `openai`: any server that speaks OpenAI's chat completions or embeddings.

Roles call these two functions. All calls of a process run on one event loop in one thread. Nothing
heavy is imported before the first call.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from functools import lru_cache

from udfs.contracts.answer import Answer
from udfs.endpoint.batch import OnAnswer
from udfs.endpoint.budget import Budget
from udfs.endpoint.requests import ChatRequest, Job, chat_job, embedding_job
from udfs.profiles.parameters import Endpoint

_STARTING = threading.Lock()


def ask_chat(
    requests: Sequence[ChatRequest],
    endpoint: Endpoint,
    on_answer: OnAnswer | None = None,
    budget: Budget | None = None,
) -> list[Answer]:
    """Answers in the order of the requests; a value is an instance of the request's schema.

    `on_answer` is called with the key and the answer as each call ends and before another one is
    sent in its place, from one thread for all batches; it must be quick. Raises EndpointDown,
    BudgetSpent, or UserError for a wrong setting, after the calls in flight have ended and were
    handed to `on_answer`; a request whose answer was not handed out has none.
    """
    return _run([chat_job(request, endpoint) for request in requests], endpoint, on_answer, budget)


def ask_embeddings(
    texts: Sequence[tuple[str, str]],
    endpoint: Endpoint,
    on_answer: OnAnswer | None = None,
    budget: Budget | None = None,
) -> list[Answer]:
    """Answers in the order of the (key, text) pairs; a value is a list of floats.

    One text a request, so that a vector does not depend on its company. The rest as `ask_chat`.
    """
    jobs = [embedding_job(key, text, endpoint) for key, text in texts]
    return _run(jobs, endpoint, on_answer, budget)


def _run(
    jobs: Sequence[Job], endpoint: Endpoint, on_answer: OnAnswer | None, budget: Budget | None
) -> list[Answer]:
    """Wait in this thread for what the endpoint's caller does on the event loop."""
    from udfs.endpoint.calls import caller_of

    async def ask() -> list[Answer]:
        caller = caller_of(endpoint.model_dump_json())
        return await caller.ask_all(jobs, on_answer, budget or Budget())

    future = asyncio.run_coroutine_threadsafe(ask(), _loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()  # Ctrl-C: nothing more is sent
        raise


def _loop() -> asyncio.AbstractEventLoop:
    with _STARTING:
        return _started_loop()


@lru_cache(maxsize=1)
def _started_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="endpoints", daemon=True).start()
    return loop
