"""How a call to an endpoint goes: a slot, the photo, the request, the answer, and one repair.

Each endpoint has one `Caller` in a process, so its limits hold over all batches and threads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ValidationError

from udfs.contracts.answer import Answer
from udfs.contracts.schemas import read_answer
from udfs.endpoint.batch import Batch, Call, OnAnswer
from udfs.endpoint.budget import Budget
from udfs.endpoint.failures import Failure
from udfs.endpoint.photo import PhotoError
from udfs.endpoint.prompt import with_photo
from udfs.endpoint.replies import embedding_of, text_of, what_is_wrong
from udfs.endpoint.requests import Job, repair_job
from udfs.endpoint.retry import Sender
from udfs.profiles.parameters import Endpoint
from udfs.warehouse.errors import UserError


@lru_cache(maxsize=64)
def caller_of(endpoint: str) -> Caller:
    """The caller of an endpoint, by its parameters in JSON; only the loop's thread asks for it."""
    return Caller(Endpoint.model_validate_json(endpoint))


class Caller:
    """Calls one endpoint, `in_flight` at a time."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._sender = Sender(endpoint)
        self._client = self._sender.client
        self._slots = asyncio.Semaphore(endpoint.in_flight)

    async def ask_all(
        self, jobs: Sequence[Job], on_answer: OnAnswer | None, budget: Budget
    ) -> list[Answer]:
        """Answers in the order of the jobs.

        Raises the error that stopped the batch, once no call of it is in flight.
        """
        batch = Batch(budget, on_answer)
        answers = await asyncio.gather(*(self._in_turn(job, batch) for job in jobs))
        if batch.error is not None:
            raise batch.error
        return [answer for answer in answers if answer is not None]

    async def _in_turn(self, job: Job, batch: Batch) -> Answer | None:
        async with self._slots:
            if batch.error is not None:
                return None
            call = Call(self.endpoint)
            try:
                answer = await self._answer(job, call, batch)
                if answer is not None and batch.on_answer is not None:
                    batch.on_answer(job.key, answer)
            except Exception as error:
                batch.stop(error)
                return None
            return answer

    async def _answer(self, job: Job, call: Call, batch: Batch) -> Answer | None:
        try:
            if job.photo is not None:
                # A photo is read once its call has a slot, in a thread beside the loop: memory
                # holds one photo a slot, and no other call waits while it is read.
                photo = await asyncio.to_thread(job.photo)
                messages = with_photo(job.body["messages"], photo)
                job = job._replace(body=job.body | {"messages": messages})
            return call.answer(await self._value(job, call, batch))
        except Failure as failure:
            call.failure = failure
        except PhotoError as error:
            call.failure = Failure("photo", str(error))
        except (UserError, OSError) as error:
            # An endpoint that is down, a spent budget, a wrong setting or a full disk says nothing
            # about the request: it stays without an answer, whatever was tried before.
            batch.stop(error)
            return None
        except Exception as error:
            if error is batch.error:
                return None
            call.failure = Failure("failed", self._client.clean(f"{type(error).__name__}: {error}"))
        return call.answer(None)

    async def _value(self, job: Job, call: Call, batch: Batch) -> Any:
        """The answer in the reply; one that does not fit its schema is asked for once more."""
        reply = await self._sender.send(job, call, batch)
        if job.schema is None:
            return embedding_of(reply, self.endpoint.dimensions)
        text = self._text(reply)
        try:
            return self._read(text, job.schema)
        except Failure as failure:
            repair = repair_job(job, text, failure.detail)
        reply = await self._sender.send(repair, call, batch)
        return self._read(self._text(reply), job.schema)

    def _text(self, reply: dict[str, Any]) -> str:
        try:
            return self._client.scrub(text_of(reply))
        except Failure as failure:
            # A refusal is in the server's words.
            raise Failure(failure.reason, self._client.clean(failure.detail)) from None

    def _read(self, text: str, schema: type[BaseModel]) -> BaseModel:
        try:
            value = read_answer(text, schema)
            # A key may hide behind escapes until here.
            written = value.model_dump_json()
            scrubbed = self._client.scrub(written)
            return value if scrubbed == written else schema.model_validate_json(scrubbed)
        except ValidationError as error:
            raise Failure("off schema", self._client.clean(what_is_wrong(error))) from None
