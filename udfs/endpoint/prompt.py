"""Prompts: versioned text files, and how text that is not ours goes into them.

A file `<name>.v<number>.txt` names its variables with the most characters of each, then the
messages. The newest version is used; the older ones say what earlier answers were asked with.

The values that are filled in are data. Each stands in a fence whose mark comes from the value, and
no part of a value can be read as the end of a fence or as a control token of a chat template.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

from pydantic import BaseModel

from udfs.contracts import schemas
from udfs.endpoint.requests import ChatRequest

FOLDER = Path(__file__).resolve().parent / "prompts"
SCHEMAS: dict[str, type[BaseModel]] = {
    "judge_support": schemas.Support,
    "judge_contradiction": schemas.Contradiction,
    "photo_support": schemas.Support,
    "photo_contradiction": schemas.Contradiction,
    "write_text_constraint": schemas.Requirement,
    "write_photo_constraint": schemas.Requirement,
    "write_question": schemas.Question,
    "extract_features": schemas.Opinions,
    "rerank": schemas.Relevance,
}

_VERSION = re.compile(r"\.v(\d+)$")
# Angle brackets make fences and control tokens ("<|im_end|>", "</s>"); these read the same.
_BRACKETS = str.maketrans({"<": "\u2039", ">": "\u203a"})
# Control tokens without angle brackets.
_TOKENS = re.compile(r"\[(/?(?:INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_[A-Z]+))\]", re.I)
_BREAKS = re.compile(r"\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# Control, format and private characters and halves of pairs; a joiner belongs to some scripts.
_UNSEEN = {"Cc", "Cf", "Cs", "Co"}
_KEPT = {"\n", "\t", "\u200c", "\u200d"}


class Prompt(NamedTuple):
    """A prompt file: the most characters of each variable, and the messages with $variables."""

    version: str
    variables: dict[str, int]
    has_photo: bool
    messages: tuple[tuple[str, str], ...]  # role, text


def chat_request(key: str, name: str, **values: str | Sequence[str]) -> ChatRequest:
    """The request of a prompt; a list of texts is numbered."""
    return ChatRequest(key, render(name, None, **values), SCHEMAS[name])


def photo_request(
    key: str, name: str, photo: Callable[[], str], **values: str | Sequence[str]
) -> ChatRequest:
    """The same of a prompt with a photo; `photo` makes its data URL when the request is sent."""
    return ChatRequest(key, render(name, "", **values), SCHEMAS[name], photo)


def render(
    name: str, photo: str | None = None, **values: str | Sequence[str]
) -> list[dict[str, Any]]:
    """The messages of a prompt, every value in its fence.

    Raises ValueError when the values are not the prompt's variables.
    """
    prompt = load(name)
    if set(values) != set(prompt.variables) or prompt.has_photo != (photo is not None):
        takes = [*prompt.variables, *(["photo"] if prompt.has_photo else [])]
        raise ValueError(f"prompt {name} takes {', '.join(takes)}")
    fenced = {
        variable: fence(variable, _as_text(values[variable], most), most)
        for variable, most in prompt.variables.items()
    }
    messages: list[dict[str, Any]] = [
        {"role": role, "content": Template(text).substitute(fenced)}
        for role, text in prompt.messages
    ]
    if photo is not None:
        messages[-1]["content"] = [{"type": "text", "text": messages[-1]["content"]}, {}]
        messages = with_photo(messages, photo)
    return messages


def with_photo(messages: list[dict[str, Any]], photo: str) -> list[dict[str, Any]]:
    """The messages of a prompt that has a photo, with this data URL in its place."""
    *others, last = messages
    image = {"type": "image_url", "image_url": {"url": photo}}
    return [*others, last | {"content": [last["content"][0], image]}]


@lru_cache(maxsize=64)
def signature(name: str) -> str:
    """What an answer depends on besides its input: version and hash of the prompt, the schema."""
    prompt = load(name)
    content = [list(prompt), SCHEMAS[name].model_json_schema()]
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]
    return f"{name}.{prompt.version} {digest}"


@lru_cache(maxsize=64)
def load(name: str) -> Prompt:
    """The newest version of a prompt. Raises ValueError for a file that is not as described."""
    versions = {
        int(number.group(1)): path
        for path in FOLDER.glob(f"{name}.v*.txt")
        if (number := _VERSION.search(path.stem))
    }
    if not versions:
        raise ValueError(f"there is no prompt {name} in {FOLDER}")
    newest = max(versions)
    head, *parts = re.split(
        r"^--- (system|user)\n", versions[newest].read_text("utf-8"), flags=re.M
    )
    lines = dict(line.split(": ", 1) for line in head.splitlines())
    variables = (variable.split() for variable in lines["variables"].split(", "))
    return Prompt(
        version=f"v{newest}",
        variables={variable: int(most) for variable, most in variables},
        has_photo=lines.get("photo") == "yes",
        messages=tuple(
            (role, text.strip()) for role, text in zip(parts[::2], parts[1::2], strict=True)
        ),
    )


# -- data ----------------------------------------------------------------------------------------


def fence(name: str, content: str, most: int) -> str:
    """The content as data: harmless, at most so long, between two marks that it cannot hold."""
    content = cut(harmless(content), most) or "(empty)"
    mark = hashlib.sha256(f"{name}\0{content}".encode()).hexdigest()[:12]
    return f"<{name} {mark}>\n{content}\n</{name} {mark}>"


def harmless(text: str) -> str:
    """The text without angle brackets, control tokens, control and other unseen characters."""
    text = _BREAKS.sub("\n", text)
    # Unseen characters go first: without one between its letters, a control token could appear.
    text = "".join(c for c in text if c in _KEPT or unicodedata.category(c) not in _UNSEEN)
    return _TOKENS.sub(r"(\1)", text.translate(_BRACKETS)).strip()


def cut(text: str, most: int) -> str:
    """At most so many characters of the text, and how many were left out."""
    if len(text) <= most:
        return text
    return f"{text[:most].rstrip()} [… {len(text) - most:,} more characters]"


def _as_text(value: str | Sequence[str], most: int) -> str:
    if isinstance(value, str):
        return value
    # Each text of a list is on one line, so that no text can pass for two.
    lines = (" ".join(harmless(item).split()) for item in value)
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))
