"""What a judge is asked about and what it answers."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from pydantic import Field, ValidationError

from udfs.contracts.strict import Fraction, Strict

Verdict = Literal["yes", "no", "unresolved"]


class Judgement(Strict):
    """A verdict with the probability that the evidence supports the claim, or contradicts it.

    is_against: the evidence says the opposite of the claim. tokens: what a local model has read.
    """

    verdict: Verdict
    confidence: Fraction
    is_against: bool
    reason: str
    tokens: int = Field(default=0, exclude=True)


class Requirement(Strict):
    """What a contradiction is about: a question, and the claims that its answers meet."""

    question: str
    claims: tuple[str, ...]


@lru_cache(maxsize=4096)
def parse_requirement(text: str) -> Requirement:
    """The Requirement in the JSON {"question": text, "claims": [sentences]}.

    Raises ValueError when the JSON is not as described.
    """
    try:
        return Requirement.model_validate_json(text, strict=True)
    except ValidationError:
        raise ValueError('a contradiction needs a claim {"question": .., "claims": [..]}') from None
