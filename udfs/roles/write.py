"""Role writer: requirements out of a text or a caption, and questions out of requirements."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, NamedTuple

from pydantic import Field

from udfs.contracts import schemas
from udfs.contracts.answer import Answer
from udfs.contracts.strict import Strict
from udfs.endpoint.prompt import chat_request
from udfs.endpoint.requests import ChatRequest
from udfs.profiles.parameters import Endpoint, Rules
from udfs.profiles.profile import Profile
from udfs.roles.asking import Asking, ask_each, ask_endpoint


class Constraint(Strict):
    """A requirement: the claim to judge, the phrase for a question, the sentence it came from.

    All are null when the evidence holds nothing usable. The phrase completes "a place that ..."
    (HeterQA: at most 140 characters); the sentence never leaves the warehouse.
    """

    claim: Annotated[str | None, Field(max_length=200)]
    phrase: Annotated[str | None, Field(max_length=140)]
    sentence: str | None


class Question(Strict):
    """A question in words."""

    question: Annotated[str, Field(min_length=1, max_length=1400)]


class ConstraintRequest(NamedTuple):
    """A `text` or `photo` (its caption), and the words that must not appear in the answer."""

    key: str
    source: str
    evidence: str | None
    avoid: str | None


class QuestionRequest(NamedTuple):
    """A JSON {"categories", "field_phrases", "source_phrases": lists of text, "draws": numbers in
    [0, 1) that make the choices}."""

    key: str
    spec: str | None


def write_constraints(
    requests: Sequence[ConstraintRequest], parameters: Rules | Endpoint, asking: Asking
) -> list[Answer]:
    """A Constraint for each request."""
    if isinstance(parameters, Endpoint):
        # The word lists are read before the first request: later, all calls in flight would wait.
        import udfs.rules.writer.constraint  # noqa: F401

        def stand_in(asked: Sequence[ConstraintRequest], profile: Profile) -> list[Answer]:
            return write_constraints(asked, profile.writer, asking)

        return ask_endpoint(
            requests, parameters, asking, _constraint_prompt, _read_constraint, stand_in
        )
    return ask_each(_constraint_by_rules, requests, asking.threads)


def write_questions(
    requests: Sequence[QuestionRequest], parameters: Rules | Endpoint, asking: Asking
) -> list[Answer]:
    """A Question for each request."""
    if isinstance(parameters, Endpoint):

        def stand_in(asked: Sequence[QuestionRequest], profile: Profile) -> list[Answer]:
            return write_questions(asked, profile.writer, asking)

        return ask_endpoint(
            requests, parameters, asking, _question_prompt, _read_question, stand_in
        )
    return ask_each(_question_by_rules, requests, asking.threads)


def _constraint_by_rules(request: ConstraintRequest) -> Constraint:
    from udfs.rules.writer.constraint import write_constraint

    draft = write_constraint(request.source, request.evidence or "", request.avoid or "")
    if draft is None:
        return Constraint(claim=None, phrase=None, sentence=None)
    return Constraint(**draft._asdict())


def _question_by_rules(request: QuestionRequest) -> Question:
    from udfs.rules.writer.question import write_question

    return Question(question=write_question(request.spec or ""))


def _constraint_prompt(request: ConstraintRequest) -> ChatRequest:
    variable = {"text": "evidence", "photo": "caption"}[request.source]
    values = {variable: request.evidence or "", "avoid": request.avoid or ""}
    return chat_request(request.key, f"write_{request.source}_constraint", **values)


def _read_constraint(request: ConstraintRequest, said: schemas.Requirement) -> Constraint:
    """What the model wrote, or nothing when it names the record or quotes the evidence."""
    from udfs.rules.writer.constraint import Draft, is_allowed

    if said.claim is not None and said.phrase is not None:
        draft = Draft(said.claim, said.phrase, "")
        if is_allowed(draft, request.evidence or "", request.avoid or ""):
            return Constraint(claim=said.claim, phrase=said.phrase, sentence=None)
    return Constraint(claim=None, phrase=None, sentence=None)


def _question_prompt(request: QuestionRequest) -> ChatRequest:
    spec = json.loads(request.spec or "")
    requirements = [*spec["field_phrases"], *spec["source_phrases"]]
    return chat_request(
        request.key, "write_question", categories=spec["categories"], requirements=requirements
    )


def _read_question(request: QuestionRequest, said: schemas.Question) -> Question:
    return Question(question=said.question)
