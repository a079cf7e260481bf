"""How a role asks an endpoint: prompts out, answers in, each written to the ledger as it comes.

In a dry run nothing is asked: a stand-in answers, and what the prompts would have taken is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from udfs.contracts.answer import Answer
from udfs.endpoint.budget import cost_of
from udfs.endpoint.requests import ChatRequest, Endpoint, ask_chat
from udfs.roles.asking import Asking
from udfs.warehouse.errors import UserError

if TYPE_CHECKING:
    from udfs.profiles.profile import Profile

Request = TypeVar("Request", bound=tuple[Any, ...])
CHARACTERS_A_TOKEN = 4


def ask_endpoint(
    requests: Sequence[Request],
    endpoint: Endpoint,
    asking: Asking,
    prompt: Callable[[Request], ChatRequest],
    read: Callable[[Request, Any], Any],
    stand_in: Callable[[Sequence[Request], Profile], list[Answer]],
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
    """Tokens of a message, about; a photo counts what it can count at most."""
    if isinstance(content, str):
        return about_tokens(content)
    texts = [part["text"] for part in content if part["type"] == "text"]
    photos = len(content) - len(texts)
    return sum(about_tokens(text) for text in texts) + photos * endpoint.photo_tokens


def about_tokens(text: str) -> int:
    """Tokens of a text, about: four characters each."""
    return len(text) // CHARACTERS_A_TOKEN + 1
