"""The answers that a language model may give, one schema a prompt, and how one is read.

A bound here is a bound on what enters the warehouse: an answer outside it is off schema.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache, partial
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    StringConstraints,
    model_validator,
)

from udfs.contracts.strict import Strict


def _one_line(text: str) -> str:
    if len(text.splitlines()) > 1:
        raise ValueError("write it on one line")
    return text


def _with_stop(text: object) -> object:
    """A full stop more or less is no reason to ask again."""
    is_open = isinstance(text, str) and text.strip() and text.strip()[-1] not in ".!?"
    return f"{str(text).strip()}." if is_open else text


def _without_stop(text: object) -> object:
    return text.strip().removesuffix(".") if isinstance(text, str) else text


ONE_LINE = AfterValidator(_one_line)
Bounds = partial(StringConstraints, strip_whitespace=True)
Confidence = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
# A reason is for people: one that is too long is cut, and not asked again.
_MOST_REASON = 300
Reason = Annotated[
    str,
    Field(json_schema_extra={"maxLength": _MOST_REASON}),
    AfterValidator(lambda text: " ".join(text.split())[:_MOST_REASON]),
]

_FENCED = re.compile(r"^\s*```[a-z]*\s*\n(.*?)\n?\s*```\s*$", re.S)
_THOUGHTS = re.compile(r"^\s*<think>.*?</think>", re.S)


# The reason comes first: a model that writes it before the verdict has looked before it decides.


class Support(Strict):
    """Whether the evidence shows that the claim is true; is_against: it shows the opposite."""

    reason: Reason
    verdict: Literal["yes", "no"]
    is_against: bool
    confidence: Confidence

    @model_validator(mode="after")
    def _is_consistent(self) -> Support:
        if self.verdict == "yes" and self.is_against:
            raise ValueError(
                "evidence for a claim is not against it: correct verdict or is_against"
            )
        return self


class Contradiction(Strict):
    """Whether the evidence explicitly contradicts one of the claims."""

    reason: Reason
    verdict: Literal["yes", "no"]
    confidence: Confidence


Claim = Annotated[
    str,
    Bounds(max_length=140, pattern=r"^It .*\.$"),
    ONE_LINE,
    BeforeValidator(_with_stop),
]
Phrase = Annotated[
    str,
    Bounds(max_length=140, pattern=r"^.*[^.?!]$"),
    ONE_LINE,
    BeforeValidator(_without_stop),
]


class Requirement(Strict):
    """One requirement that the evidence meets; both members null when it holds nothing usable.

    claim: a sentence "It ...". phrase: completes "a place that ...".
    """

    claim: Claim | None
    phrase: Phrase | None

    @model_validator(mode="after")
    def _is_whole(self) -> Requirement:
        if (self.claim is None) != (self.phrase is None):
            raise ValueError("give both claim and phrase, or null for both")
        return self


class Question(Strict):
    """One natural question."""

    question: Annotated[str, Bounds(min_length=10, max_length=600, pattern=r"^.*\?$"), ONE_LINE]


class Opinion(Strict):
    """A feature that the text praises or blames."""

    feature: Annotated[str, Bounds(min_length=1, max_length=60), ONE_LINE]
    polarity: Literal["positive", "negative"]
    confidence: Confidence


class Opinions(Strict):
    """All opinions of a text."""

    features: Annotated[list[Opinion], Field(max_length=40)]


class Relevance(Strict):
    """How well a passage answers a query."""

    relevance: Confidence


# -- on the wire ---------------------------------------------------------------------------------


def response_format(schema: type[BaseModel], with_lengths: bool) -> dict[str, Any]:
    """The schema as `response_format` takes it. The result is shared: do not change it."""
    return _response_format(schema, with_lengths)


@lru_cache(maxsize=64)
def _response_format(schema: type[BaseModel], with_lengths: bool) -> dict[str, Any]:
    # A "." in a pattern makes llama.cpp write line breaks that JSON forbids.
    left_out = {"title", "default", "description", "pattern"}
    if not with_lengths:
        # OpenAI refuses a strict schema that bounds the length of a string.
        left_out |= {"minLength", "maxLength"}
    content = {
        "name": schema.__name__.lower(),
        "strict": True,
        "schema": _without(schema.model_json_schema(), left_out),
    }
    return {"type": "json_schema", "json_schema": content}


def _without(node: Any, names: set[str]) -> Any:
    """The schema without some keywords; members of an object may be called like one."""
    if isinstance(node, list):
        return [_without(part, names) for part in node]
    if not isinstance(node, dict):
        return node
    kept = {name: part for name, part in node.items() if name not in names}
    return {
        name: {member: _without(s, names) for member, s in part.items()}
        if name in ("properties", "$defs")
        else _without(part, names)
        for name, part in kept.items()
    }


@lru_cache(maxsize=64)
def schema_instruction(schema: type[BaseModel]) -> str:
    """What a server without JSON schemas is told instead."""
    content = _response_format(schema, True)["json_schema"]["schema"]
    return (
        "Answer with one JSON object and nothing else: no Markdown, no remark. It must be valid "
        f"against this JSON schema:\n{json.dumps(content, ensure_ascii=False)}"
    )


def repair_request(error: str) -> str:
    """What a model is told, once, after an answer off schema."""
    return (
        f"That answer cannot be used ({error}). Answer the same task again, with one JSON object "
        "that fits the schema and nothing else."
    )


def read_answer(text: str, schema: type[BaseModel]) -> BaseModel:
    """The answer in what a model wrote: thoughts in front and a Markdown fence around are dropped.

    Raises pydantic.ValidationError.
    """
    text = _THOUGHTS.sub("", text, count=1)
    fenced = _FENCED.match(text)
    return schema.model_validate_json(fenced.group(1) if fenced else text)
