"""What is sent to an endpoint: requests of roles as bodies of HTTP, and what they cost at most."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from pydantic import BaseModel
from pydantic_core import to_json

from udfs.contracts.schemas import repair_request, response_format, schema_instruction
from udfs.profiles.parameters import Endpoint

CHAT, EMBEDDINGS = "/chat/completions", "/embeddings"
# What is sent, beside the requests, to find out whether an endpoint answers at all.
PROBE = "Is this endpoint up?"
# What chat templates add to a prompt, and more.
_TEMPLATE_TOKENS = 100
_MOST_REPAIRED = 4000  # characters of a wrong answer that are sent back


class ChatRequest(NamedTuple):
    """Messages as the API has them, and the schema of the answer. `key` names it to `on_answer`.

    photo: a function that makes the data URL which the messages leave blank. It is called when the
    request is sent, and an error in it is the answer to this request alone.
    """

    key: str
    messages: list[dict[str, Any]]
    schema: type[BaseModel]
    photo: Callable[[], str] | None = None


class Job(NamedTuple):
    """One call: the request's body and the schema of its answer (None for an embedding).

    photo: makes the data URL of the photo that the body lacks.
    """

    key: str
    path: str
    body: dict[str, Any]
    schema: type[BaseModel] | None = None
    photo: Callable[[], str] | None = None


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


def probe_job(job: Job) -> Job:
    """The shortest request with the parameters of a job."""
    if job.path == CHAT:
        return job._replace(body=job.body | {"messages": [{"role": "user", "content": PROBE}]})
    return job._replace(body=job.body | {"input": PROBE})


def repair_job(job: Job, text: str, reason: str) -> Job:
    """The same conversation, with the wrong answer and what is wrong with it."""
    messages = [
        *job.body["messages"],
        {"role": "assistant", "content": text[:_MOST_REPAIRED]},
        {"role": "user", "content": repair_request(reason)},
    ]
    return job._replace(body=job.body | {"messages": messages})
