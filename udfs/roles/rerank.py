"""Role reranker: how well does a passage answer a query?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pydantic import Field

from udfs.contracts import schemas
from udfs.contracts.answer import Answer
from udfs.contracts.strict import Strict
from udfs.encoders.onnx_pairs import score_pair
from udfs.encoders.running import score_pairs
from udfs.endpoint.prompt import chat_request
from udfs.endpoint.requests import ChatRequest
from udfs.profiles.parameters import CrossEncoder, Endpoint, OnnxCrossEncoder
from udfs.profiles.profile import Profile
from udfs.roles.asking import Asking, ask_each, ask_endpoint


class Relevance(Strict):
    """A relevance score; only its order among the passages of one query means something."""

    score: float
    tokens: int = Field(default=0, exclude=True)


class RerankRequest(NamedTuple):
    """One query and one passage."""

    key: str
    query: str
    passage: str


def rerank(
    requests: Sequence[RerankRequest],
    parameters: OnnxCrossEncoder | CrossEncoder | Endpoint,
    asking: Asking,
) -> list[Answer]:
    """The Relevance of each pair: a logit, or a number in [0, 1] of a language model."""
    if isinstance(parameters, Endpoint):

        def stand_in(asked: Sequence[RerankRequest], profile: Profile) -> list[Answer]:
            return rerank(asked, profile.reranker, asking)

        return ask_endpoint(requests, parameters, asking, _prompt, _read, stand_in)
    if isinstance(parameters, CrossEncoder):
        pairs = [(request.query, request.passage) for request in requests]
        answers = score_pairs(pairs, parameters, asking.threads)
        return [answer.map(lambda score: Relevance(score=score)) for answer in answers]

    def ask(request: RerankRequest) -> Relevance:
        score = score_pair(request.query, request.passage, parameters)
        return Relevance(score=score.logit, tokens=score.tokens)

    return ask_each(ask, requests, asking.threads)


def _prompt(request: RerankRequest) -> ChatRequest:
    return chat_request(request.key, "rerank", query=request.query, passage=request.passage)


def _read(request: RerankRequest, said: schemas.Relevance) -> Relevance:
    return Relevance(score=round(said.relevance, 4))
