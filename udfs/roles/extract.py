"""Role extractor: which features does a text praise or blame?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from udfs.contracts import schemas
from udfs.contracts.answer import Answer
from udfs.contracts.strict import Fraction, Strict
from udfs.endpoint.prompt import chat_request
from udfs.endpoint.requests import ChatRequest
from udfs.profiles.parameters import Endpoint, Rules
from udfs.profiles.profile import Profile
from udfs.roles.asking import Asking, ask_each, ask_endpoint

Polarity = Literal["positive", "negative"]


class Feature(Strict):
    """An opinion about one thing, such as "friendly staff"."""

    feature: Annotated[str, Field(min_length=1, max_length=100)]
    polarity: Polarity
    confidence: Fraction


class Features(Strict):
    """The features of a text, in its order, each with a polarity once."""

    features: tuple[Feature, ...]


class ExtractRequest(NamedTuple):
    """One text."""

    key: str
    content: str | None


def extract(
    requests: Sequence[ExtractRequest], parameters: Rules | Endpoint, asking: Asking
) -> list[Answer]:
    """The Features of each text; a null text has none."""
    if isinstance(parameters, Endpoint):

        def stand_in(asked: Sequence[ExtractRequest], profile: Profile) -> list[Answer]:
            return extract(asked, profile.extractor, asking)

        return ask_endpoint(requests, parameters, asking, _prompt, _read, stand_in)
    return ask_each(_by_rules, requests, asking.threads)


def _by_rules(request: ExtractRequest) -> Features:
    from udfs.rules.extractor.features import extract_features

    found = extract_features(request.content or "")
    return Features(features=tuple(Feature(**feature._asdict()) for feature in found))


def _prompt(request: ExtractRequest) -> ChatRequest:
    return chat_request(request.key, "extract_features", content=request.content or "")


def _read(request: ExtractRequest, said: schemas.Opinions) -> Features:
    best: dict[tuple[str, Polarity], float] = {}
    for opinion in said.features:
        key = (opinion.feature.lower(), opinion.polarity)
        best[key] = max(best.get(key, 0.0), round(opinion.confidence, 4))
    return Features(
        features=tuple(
            Feature(feature=feature, polarity=polarity, confidence=confidence)
            for (feature, polarity), confidence in best.items()
        )
    )
