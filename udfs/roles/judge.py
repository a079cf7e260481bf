"""Role judge, role photo_judge: does this evidence show that the claim is true?

Task `support` is about one claim sentence. Task `contradiction` is about a question, a JSON
{"question": text, "claims": [sentences]}: does the evidence explicitly deny a requirement of it?
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from udfs.contracts import schemas
from udfs.contracts.answer import Answer
from udfs.contracts.judgement import Judgement, parse_requirement
from udfs.endpoint.photo import data_url
from udfs.endpoint.prompt import chat_request, photo_request
from udfs.endpoint.requests import ChatRequest
from udfs.profiles.parameters import Endpoint, RuleJudge
from udfs.profiles.profile import Profile
from udfs.roles.asking import Asking, ask_each, ask_endpoint

TASKS = ("support", "contradiction")


class JudgeRequest(NamedTuple):
    """One claim and one piece of evidence: a text, or a photo (a path below the photo folder) with
    its caption."""

    key: str
    task: str
    claim: str
    evidence: str | None
    photo: str | None = None


def judge(
    requests: Sequence[JudgeRequest], parameters: RuleJudge | Endpoint, asking: Asking
) -> list[Answer]:
    """A Judgement for each request. A photo without a caption shows nothing to the rules; of one
    whose file is not there, an endpoint judges the caption."""
    if isinstance(parameters, Endpoint):

        def prompt(request: JudgeRequest) -> ChatRequest:
            return _prompt(request, asking.photo_folder)

        def stand_in(asked: Sequence[JudgeRequest], profile: Profile) -> list[Answer]:
            is_photo = any(request.photo for request in asked)
            return judge(asked, profile.photo_judge if is_photo else profile.judge, asking)

        return ask_endpoint(requests, parameters, asking, prompt, _read, stand_in)
    return ask_each(lambda request: _by_rules(request, parameters), requests, asking.threads)


def _by_rules(request: JudgeRequest, parameters: RuleJudge) -> Judgement:
    from udfs.rules.judge.evidence import judge_evidence

    return judge_evidence(request.task, request.claim, _evidence(request), parameters)


def _evidence(request: JudgeRequest) -> str:
    """The text or caption. Raises ValueError for a request that makes no sense."""
    if request.task not in TASKS:
        raise ValueError(f"unknown task {request.task!r}; tasks are {', '.join(TASKS)}")
    if not request.claim or not request.claim.strip():
        raise ValueError("the claim is empty")
    if request.evidence is None and request.photo is None:
        raise ValueError("the evidence is null")
    return request.evidence or ""


def _prompt(request: JudgeRequest, photo_folder: Path | None) -> ChatRequest:
    values: dict[str, Any] = {"claim": request.claim}
    if request.task == "contradiction":
        values = parse_requirement(request.claim).model_dump()
    evidence, photo = _evidence(request), _photo(request, photo_folder)
    if photo is None:
        return chat_request(request.key, f"judge_{request.task}", evidence=evidence, **values)
    name = f"photo_{request.task}"
    return photo_request(request.key, name, photo, caption=evidence, **values)


def _photo(request: JudgeRequest, folder: Path | None) -> Callable[[], str] | None:
    """Makes the photo's data URL; None when there is no file."""
    if request.photo is None or folder is None or not os.path.lexists(folder / request.photo):
        return None
    return partial(data_url, folder, request.photo)


def _read(request: JudgeRequest, said: schemas.Support | schemas.Contradiction) -> Judgement:
    is_yes = said.verdict == "yes"
    is_against = said.is_against if isinstance(said, schemas.Support) else is_yes
    return Judgement(
        verdict=said.verdict,
        confidence=round(said.confidence, 4),
        is_against=is_against,
        reason=said.reason,
    )
