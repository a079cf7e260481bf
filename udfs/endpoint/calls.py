"""How calls to an endpoint go: slots, attempts, the repair, the budget, and when it is down.

All calls of a process run on one event loop in one thread; each endpoint has one `Caller` there,
so its limits hold over all batches and threads.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

from udfs.contracts.answer import Answer
from udfs.contracts.schemas import read_answer, repair_request, response_format, schema_instruction
from udfs.endpoint.budget import Budget, Usage, cost_of
from udfs.endpoint.photo import PhotoError
from udfs.endpoint.prompt import with_photo
from udfs.endpoint.requests import PROBE, ChatRequest, Endpoint, EndpointDown, OnAnswer
from udfs.endpoint.retry import back_off
from udfs.endpoint.transport import Client, Failure
from udfs.warehouse.errors import UserError

CHAT, EMBEDDINGS = "/chat/completions", "/embeddings"
_PROBE_ATTEMPTS = 3
_PROBE_SECONDS = 20.0
# After this time an endpoint that was down is tried again.
_DOWN_SECONDS = 30.0
# What chat templates add to a prompt, and more.
_TEMPLATE_TOKENS = 100
_MOST_REPAIRED = 4000  # characters of a wrong answer that are sent back


class Job(NamedTuple):
    """One call: the request's body, the schema of its answer (None for an embedding), and what
    reads the photo that the body lacks."""

    key: str
    path: str
    body: dict[str, Any]
    schema: type[BaseModel] | None = None
    photo: Callable[[], str] | None = None


# -- the loop and its callers --------------------------------------------------------------------


def run(
    endpoint: Endpoint, jobs: Sequence[Job], on_answer: OnAnswer | None, budget: Budget
) -> list[Answer]:
    """Wait in this thread for what the endpoint's caller does on the event loop."""

    async def ask() -> list[Answer]:
        return await _caller(endpoint.model_dump_json()).ask_all(jobs, on_answer, budget)

    future = asyncio.run_coroutine_threadsafe(ask(), _loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()  # Ctrl-C: nothing more is sent
        raise


_STARTING = threading.Lock()


def _loop() -> asyncio.AbstractEventLoop:
    with _STARTING:
        return _started_loop()


@lru_cache(maxsize=1)
def _started_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="endpoints", daemon=True).start()
    return loop


@lru_cache(maxsize=64)
def _caller(endpoint: str) -> Caller:
    """The caller of an endpoint, by its parameters; only the loop's thread asks for it."""
    return Caller(Endpoint.model_validate_json(endpoint))


# -- one batch, one call ---------------------------------------------------------------------------


class Batch:
    """The requests of one `ask_chat`; the first error that concerns all of them stops it."""

    def __init__(self, budget: Budget, on_answer: OnAnswer | None) -> None:
        self.budget = budget
        self.on_answer = on_answer
        self.error: Exception | None = None
        self._stopped = asyncio.Event()

    def stop(self, error: Exception) -> None:
        self.error = self.error or error
        self._stopped.set()

    async def pause(self, seconds: float) -> None:
        """Sleep, but no longer than the batch goes on. Raises what stopped it."""
        try:
            await asyncio.wait_for(self._stopped.wait(), seconds)
        except TimeoutError:
            return
        assert self.error is not None
        raise self.error


class Call:
    """What one answer has taken so far."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.started = time.monotonic()
        self.attempts = self.input_tokens = self.output_tokens = 0
        self.failure: Failure | None = None

    @property
    def seconds_left(self) -> float:
        return self.started + self.endpoint.deadline_seconds - time.monotonic()

    def answer(self, value: Any) -> Answer:
        """The value, or the last failure when it is None."""
        return Answer(
            value=value,
            error=str(self.failure) if value is None else None,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            latency_ms=round((time.monotonic() - self.started) * 1000, 3),
            cost=cost_of(self.input_tokens, self.output_tokens, self.endpoint.price),
            attempts=self.attempts,
        )


class Caller:
    """Calls one endpoint, `in_flight` at a time, and knows whether it is up."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.client = Client(endpoint)
        self._slots = asyncio.Semaphore(endpoint.in_flight)
        self._probing = asyncio.Lock()
        # Attempts in a row that brought nothing back, and how many are a reason to ask why.
        self._silent = 0
        self._most_silent = max(10, 2 * endpoint.in_flight)
        self._succeeded_at = -math.inf
        self._was_reached = False
        self._down_until = -math.inf
        self._down: EndpointDown | None = None

    async def ask_all(
        self, jobs: Sequence[Job], on_answer: OnAnswer | None, budget: Budget
    ) -> list[Answer]:
        """Answers in the order of the jobs; raises what stopped the batch, after it has ended."""
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
                # Only now, and beside the loop: a photo a slot is in memory, and none waits for it.
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
            call.failure = Failure("failed", self.client.clean(f"{type(error).__name__}: {error}"))
        return call.answer(None)

    async def _value(self, job: Job, call: Call, batch: Batch) -> Any:
        reply = await self._send(job, job.body, call, batch)
        if job.schema is None:
            return _embedding_of(reply, self.endpoint.dimensions)
        text = self._text(reply)
        try:
            return self._read(text, job.schema)
        except Failure as failure:
            body = job.body | {"messages": _repair(job.body["messages"], text, failure)}
        reply = await self._send(job, body, call, batch)
        return self._read(self._text(reply), job.schema)

    def _text(self, reply: dict[str, Any]) -> str:
        try:
            return self.client.scrub(_text_of(reply))
        except Failure as failure:
            # A refusal is in the server's words.
            raise Failure(failure.reason, self.client.clean(failure.detail)) from None

    def _read(self, text: str, schema: type[BaseModel]) -> BaseModel:
        try:
            value = read_answer(text, schema)
            # A key may hide behind escapes until here.
            written = value.model_dump_json()
            scrubbed = self.client.scrub(written)
            return value if scrubbed == written else schema.model_validate_json(scrubbed)
        except ValidationError as error:
            raise Failure("off schema", self.client.clean(_summary(error))) from None

    # -- attempts ------------------------------------------------------------------------------

    async def _send(
        self, job: Job, body: dict[str, Any], call: Call, batch: Batch
    ) -> dict[str, Any]:
        """The reply to a body, in as many attempts as the profile allows."""
        failure = Failure("timed out", f"no time left of {self.endpoint.deadline_seconds:.3g} s")
        sent_at = time.monotonic()
        for attempt in range(1, self.endpoint.attempts + 1):
            if call.seconds_left <= 0:
                break
            sent_at = time.monotonic()
            try:
                seconds = min(self.endpoint.timeout_seconds, call.seconds_left)
                return await self._attempt(job.path, body, seconds, call, batch)
            except Failure as error:
                failure = error
            if failure.reason == "bad request" and self._succeeded_at == -math.inf:
                await self._probe(job, call, batch)
            if not failure.is_transient:
                raise failure
            if failure.is_unreachable and not self._was_reached:
                raise self._went_down(failure)
            if self._silent >= self._most_silent:
                await self._probe(job, call, batch)
            wait = back_off(attempt, self.endpoint.back_off_seconds, failure.wait)
            if attempt == self.endpoint.attempts or wait >= call.seconds_left:
                break
            await batch.pause(wait)
        if self._succeeded_at < sent_at:
            # Nothing came back since: is it the request, or the endpoint?
            await self._probe(job, call, batch)
        raise failure

    async def _attempt(
        self, path: str, body: dict[str, Any], seconds: float, call: Call, batch: Batch
    ) -> dict[str, Any]:
        """Send once, within the budget."""
        if time.monotonic() < self._down_until and self._down is not None:
            raise self._down
        most = most_tokens(body, self.endpoint)
        reserved = await self._reserve(most, batch)
        tokens = most
        call.attempts += 1
        try:
            reply = await self.client.post(path, body, seconds)
            if not reply.get("choices" if path == CHAT else "data"):
                said = self.client.clean(reply.get("error") or "the response holds no answer")
                raise Failure("server error", said, is_transient=True, may_be_paid=True)
            tokens = _tokens_of(reply, most)
        except Failure as failure:
            if not failure.may_be_paid:
                tokens = (0, 0)
            self._was_reached = self._was_reached or not failure.is_unreachable
            self._silent = self._silent + 1 if failure.is_transient else 0
            raise
        except UserError:
            tokens = (0, 0)
            raise
        finally:
            call.input_tokens += tokens[0]
            call.output_tokens += tokens[1]
            batch.budget.settle(reserved, self._usage(tokens))
        self._was_reached = True
        self._silent = 0
        self._succeeded_at = time.monotonic()
        return reply

    async def _reserve(self, tokens: tuple[int, int], batch: Batch) -> Usage:
        """Set the request's upper bound aside, when what is in flight leaves room for it."""
        most = self._usage(tokens)
        while not batch.budget.reserve(most):
            await batch.pause(0.02)
        return most

    def _usage(self, tokens: tuple[int, int]) -> Usage:
        return Usage(*tokens, cost_of(*tokens, self.endpoint.price))

    async def _probe(self, job: Job, call: Call, batch: Batch) -> None:
        """Ask something that every endpoint can answer. Raises EndpointDown when this one cannot,
        and UserError when it refuses even that for the parameters of the profile."""
        asked_at = time.monotonic()
        async with self._probing:
            if self._succeeded_at > asked_at:
                return
            body = dict(job.body)
            if job.path == CHAT:
                body["messages"] = [{"role": "user", "content": PROBE}]
            else:
                body["input"] = PROBE
            seconds = min(self.endpoint.timeout_seconds, _PROBE_SECONDS)
            for attempt in range(1, _PROBE_ATTEMPTS + 1):
                try:
                    await self._attempt(job.path, body, seconds, call, batch)
                    return
                except Failure as error:
                    failure = error
                if failure.reason == "bad request":
                    raise UserError(self._refuses_all(failure))
                if not failure.is_transient:
                    return
                if attempt < _PROBE_ATTEMPTS:
                    await batch.pause(
                        back_off(attempt, self.endpoint.back_off_seconds, failure.wait)
                    )
            raise self._went_down(failure)

    def _refuses_all(self, failure: Failure) -> str:
        return (
            f"{self.endpoint.base_url} refuses every request to model '{self.endpoint.model}' "
            f"({failure.detail}); correct its parameters in the profile (`json_schema: false` for "
            "a server without JSON schemas)"
        )

    def _went_down(self, failure: Failure) -> EndpointDown:
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


# -- requests and replies ----------------------------------------------------------------------


def chat_job(request: ChatRequest, endpoint: Endpoint) -> Job:
    """The request as the endpoint is asked: greedy and seeded, with the schema of its answer."""
    messages = request.messages
    body: dict[str, Any] = {"model": endpoint.model, "messages": messages}
    if endpoint.json_schema:
        body["response_format"] = response_format(request.schema, endpoint.json_lengths)
    else:
        instruction = {"role": "system", "content": schema_instruction(request.schema)}
        body["messages"] = [instruction, *messages]
    chosen = {"temperature": endpoint.temperature, "seed": endpoint.seed}
    body |= {name: value for name, value in chosen.items() if value is not None}
    body |= {endpoint.limit_name: endpoint.max_tokens, **endpoint.extra}
    return Job(request.key, CHAT, body, request.schema, request.photo)


def embedding_job(key: str, text: str, endpoint: Endpoint) -> Job:
    body: dict[str, Any] = {"model": endpoint.model, "input": text, "encoding_format": "float"}
    if endpoint.dimensions is not None and endpoint.sends_dimensions:
        body["dimensions"] = endpoint.dimensions
    return Job(key, EMBEDDINGS, body | endpoint.extra)


def most_tokens(body: dict[str, Any], endpoint: Endpoint) -> tuple[int, int]:
    """Input and output tokens that a request can cost at most: a token is a byte or more."""
    if "messages" not in body:
        return len(body["input"].encode()) + _TEMPLATE_TOKENS, 0
    tokens = _TEMPLATE_TOKENS + len(to_json(body.get("response_format")))
    for message in body["messages"]:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for part in parts:
            is_text = part["type"] == "text"
            tokens += len(part["text"].encode()) if is_text else endpoint.photo_tokens
    return tokens, endpoint.max_tokens


def _tokens_of(reply: dict[str, Any], most: tuple[int, int]) -> tuple[int, int]:
    """Input and output tokens as the server counts them; the most there can be if it does not."""
    usage = reply.get("usage")
    if not isinstance(usage, dict):
        return most

    def counted(name: str, instead: int) -> int:
        count = usage.get(name)
        return count if isinstance(count, int) and 0 <= count < 2**31 else instead

    return counted("prompt_tokens", most[0]), counted("completion_tokens", most[1])


def _text_of(reply: dict[str, Any]) -> str:
    """What the model wrote. Raises Failure when it refused, was cut off or wrote nothing."""
    try:
        choice = reply["choices"][0]
        message, finish = choice["message"], choice.get("finish_reason")
        content, refusal = message.get("content"), message.get("refusal")
    except (TypeError, KeyError, IndexError, AttributeError):
        raise Failure("off schema", "the response is no chat completion") from None
    if refusal:
        raise Failure("refused", str(refusal))
    if finish == "content_filter":
        raise Failure("refused", "stopped by the content filter")
    if finish == "length":
        raise Failure("cut off", "the answer reached its token limit")
    if not isinstance(content, str) or not content.strip():
        raise Failure("empty", "the model wrote nothing")
    return content


def _embedding_of(reply: dict[str, Any], dimensions: int | None) -> list[float]:
    try:
        vector = [float(number) for number in reply["data"][0]["embedding"]]
    except (TypeError, KeyError, IndexError, ValueError):
        raise Failure("off schema", "the response holds no embedding") from None
    if not vector or not all(math.isfinite(number) for number in vector):
        raise Failure("off schema", "the embedding is empty or not finite")
    if dimensions is not None and len(vector) != dimensions:
        raise UserError(
            f"`dimensions`: the endpoint's vectors have {len(vector)}, the profile says "
            f"{dimensions}; correct it"
        )
    return vector


def _repair(messages: list[dict[str, Any]], text: str, failure: Failure) -> list[dict[str, Any]]:
    """The conversation with the wrong answer and what is wrong with it."""
    return [
        *messages,
        {"role": "assistant", "content": text[:_MOST_REPAIRED]},
        {"role": "user", "content": repair_request(failure.detail)},
    ]


def _summary(error: ValidationError) -> str:
    """What is wrong, without the answer itself."""
    parts = error.errors(include_url=False, include_context=False, include_input=False)
    named = [(".".join(str(place) for place in part["loc"]), part["msg"]) for part in parts[:3]]
    return "; ".join(f"{place}: {said}" if place else said for place, said in named)
