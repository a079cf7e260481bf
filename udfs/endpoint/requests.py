"""The backend `openai`: any server that speaks OpenAI's chat completions or embeddings.

Here is what a profile says of it and what a role calls; how a call goes is in `calls.py`, how it
is sent in `transport.py`. Nothing heavy is imported before the first call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, JsonValue, field_validator

from udfs.contracts.answer import Answer
from udfs.contracts.strict import Strict
from udfs.endpoint.budget import Budget, BudgetSpent
from udfs.warehouse.errors import UserError

__all__ = [
    "PROBE",
    "BudgetSpent",
    "ChatRequest",
    "Endpoint",
    "EndpointDown",
    "OnAnswer",
    "Price",
    "ask_chat",
    "ask_embeddings",
]

# What is sent, beside the requests, to find out whether an endpoint answers at all.
PROBE = "Is this endpoint up?"

OnAnswer = Callable[[str, Answer], None]


class EndpointDown(UserError):
    """Nothing comes back any more. Raised once all that came back is handed out."""


class Price(Strict):
    """US dollars per million tokens."""

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(default=0.0, ge=0, allow_inf_nan=False)


class Endpoint(Strict):
    """A model behind an OpenAI-compatible server, as a profile gives it.

    An attempt is one request; a call is all the attempts for one answer.
    """

    backend: Literal["openai"]
    model: str = Field(min_length=1)
    base_url: str = "https://api.openai.com/v1"
    # The environment variable that holds the key; null for a server that needs none.
    api_key_env: str | None = Field(default="OPENAI_API_KEY", pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    max_tokens: int = Field(default=600, gt=0)  # of an answer
    # What the server calls that limit; newer models of OpenAI take the second name only.
    limit_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: float | None = Field(default=0, ge=0)  # null leaves it to the server
    seed: int | None = 7
    # False for a server without JSON schemas: the schema then goes into the prompt.
    json_schema: bool = True
    # True for a server whose schemas may bound the length of a string (llama.cpp, vLLM).
    json_lengths: bool = False
    dimensions: int | None = Field(default=None, gt=0)  # of an embedding
    # Whether the server is told them: true for a model that can shorten its vectors.
    sends_dimensions: bool = False
    # More members of the request, as the server knows them (reasoning_effort, provider, ...).
    extra: dict[str, JsonValue] = Field(default_factory=dict)
    price: Price | None = None
    photo_tokens: int = Field(default=1600, gt=0)  # the most that a photo counts
    in_flight: int = Field(default=16, gt=0, le=512)
    timeout_seconds: float = Field(default=60, gt=0)  # of an attempt
    deadline_seconds: float = Field(default=300, gt=0)  # of a call
    attempts: int = Field(default=5, gt=0, le=20)
    back_off_seconds: float = Field(default=0.5, gt=0)  # before the second attempt; then doubled

    @field_validator("base_url")
    @classmethod
    def _is_plain_url(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("give a URL that starts with http:// or https://")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("a URL holds no key; name its variable in `api_key_env`")
        return url.rstrip("/")

    def identity(self) -> dict[str, Any]:
        """The parameters that an answer depends on: not where it is, times, prices or how often."""
        names = ("model", "max_tokens", "temperature", "seed", "json_schema")
        more = ("json_lengths", "dimensions", "sends_dimensions", "extra")
        return {"backend": self.backend} | {name: getattr(self, name) for name in (*names, *more)}


class ChatRequest(NamedTuple):
    """Messages as the API has them, and the schema of the answer. `key` names it to `on_answer`.

    photo: makes the data URL that the messages leave blank, when the request is sent; an error of
    it is the request's own.
    """

    key: str
    messages: list[dict[str, Any]]
    schema: type[BaseModel]
    photo: Callable[[], str] | None = None


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
    handed to `on_answer`; what was not handed out was not answered.
    """
    from udfs.endpoint.calls import chat_job, run

    jobs = [chat_job(request, endpoint) for request in requests]
    return run(endpoint, jobs, on_answer, budget or Budget())


def ask_embeddings(
    texts: Sequence[tuple[str, str]],
    endpoint: Endpoint,
    on_answer: OnAnswer | None = None,
    budget: Budget | None = None,
) -> list[Answer]:
    """Answers in the order of the (key, text) pairs; a value is a list of floats.

    One text a request, so that a vector does not depend on its company. The rest as `ask_chat`.
    """
    from udfs.endpoint.calls import embedding_job, run

    jobs = [embedding_job(key, text, endpoint) for key, text in texts]
    return run(endpoint, jobs, on_answer, budget or Budget())
