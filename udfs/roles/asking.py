"""How a role asks: its rules or a local model request by request, or an endpoint by prompts.

A local model is asked a request a call, so that no answer depends on its company. In a dry run no
endpoint is asked: a stand-in answers, and what the prompts would have taken is counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from udfs.contracts.answer import Answer
from udfs.encoders.workers import workers
from udfs.endpoint.ask import ask_chat
from udfs.endpoint.batch import OnAnswer
from udfs.endpoint.budget import Budget, cost_of
from udfs.endpoint.requests import ChatRequest
from udfs.profiles.parameters import Endpoint
from udfs.profiles.profile import Profile
from udfs.warehouse.errors import UserError

Request = TypeVar("Request")
Keyed = TypeVar("Keyed", bound=tuple[Any, ...])  # a request whose first member is its key
CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True)
class Asking:
    """What a role needs besides its requests and parameters.

    on_answer is called with the key and the answer as soon as a paid call ends, before its batch
    does. stand_ins: the profile that answers in place of endpoints, in a dry run.
    """

    threads: int
    photo_folder: Path | None = None
    on_answer: OnAnswer | None = None
    budget: Budget | None = None
    stand_ins: Profile | None = None


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
    # A local model may count the tokens that it has read itself.
    return Answer(value, error, getattr(value, "tokens", 0), latency_ms=latency_ms)


def ask_each(
    ask: Callable[[Request], Any], requests: Sequence[Request], threads: int
) -> list[Answer]:
    """Answers in the order of the requests; equal requests are asked once."""
    distinct = list(dict.fromkeys(requests))
    answers = workers(threads).map(lambda request: ask_once(ask, request), distinct)
    by_request = dict(zip(distinct, answers, strict=True))
    return [by_request[request] for request in requests]


def ask_endpoint(
    requests: Sequence[Keyed],
    endpoint: Endpoint,
    asking: Asking,
    prompt: Callable[[Keyed], ChatRequest],
    read: Callable[[Keyed, Any], Any],
    stand_in: Callable[[Sequence[Keyed], Profile], list[Answer]],
) -> list[Answer]:
    """Answers in the order of the requests, of which each key is asked once.

    prompt: the messages of a request; an exception is the request's own error. read: the role's
    answer in what the model said. stand_in: answers by another profile, for a dry run.
    """
    by_key = {request[0]: request for request in requests}
    answers: dict[str, Answer] = {}
    chats: list[ChatRequest] = []
    for key, request in by_key.items():
        try:
            chats.append(prompt(request))
        except UserError:
            raise
        except Exception as error:
            reason = " ".join(f"failed: {type(error).__name__}: {error}".split())
            answers[key] = Answer(None, reason[:300], attempts=0)

    def keep(key: str, answer: Answer) -> None:
        answers[key] = answer.map(partial(read, by_key[key]))
        if asking.on_answer is not None:
            asking.on_answer(key, answers[key])

    if asking.stand_ins is not None:
        found = stand_in([by_key[chat.key] for chat in chats], asking.stand_ins)
        for chat, answer in zip(chats, found, strict=True):
            answers[chat.key] = _estimated(chat, answer, endpoint)
    else:
        ask_chat(chats, endpoint, keep, asking.budget)
    return [answers[request[0]] for request in requests]


def _estimated(chat: ChatRequest, answer: Answer, endpoint: Endpoint) -> Answer:
    """The stand-in's answer with what the endpoint would have taken for it, about."""
    input_tokens = sum(_length(message["content"], endpoint) for message in chat.messages)
    written = answer.value.model_dump_json() if answer.value is not None else ""
    output_tokens = min(endpoint.max_tokens, about_tokens(written))
    return answer._replace(
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cost=cost_of(input_tokens, output_tokens, endpoint.price),
    )


def _length(content: Any, endpoint: Endpoint) -> int:
    """Tokens of a message, about; a photo counts as the most tokens that it can take."""
    if isinstance(content, str):
        return about_tokens(content)
    texts = [part["text"] for part in content if part["type"] == "text"]
    photos = len(content) - len(texts)
    return sum(about_tokens(text) for text in texts) + photos * endpoint.photo_tokens


def about_tokens(text: str) -> int:
    """Tokens of a text, about: four characters each."""
    return len(text) // CHARACTERS_A_TOKEN + 1
