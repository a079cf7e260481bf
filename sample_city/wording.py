"""Turns wordings with {alternatives} and <lists> into sentences, none of them too often."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .draws import Draws

ALTERNATIVES = re.compile(r"\{([^{}]*)\}")
LIST_NAME = re.compile(r"<(\w+)>")
MAX_REPEATS = 3
TRIES = 60

Lists = Mapping[str, Sequence[str]]


def expand(template: str, draws: Draws, lists: Lists) -> str:
    """One reading of a template: inner alternatives first, then lists, until nothing is left."""
    while True:
        template, choices = ALTERNATIVES.subn(
            lambda match: draws.pick(match[1].split("|")), template
        )
        template, names = LIST_NAME.subn(lambda match: draws.pick(lists[match[1]]), template)
        if not choices and not names:
            return template


def tidy(sentence: str) -> str:
    """One space between words, none before a stop, a capital at the start."""
    sentence = re.sub(r"\s+", " ", sentence).strip()
    sentence = re.sub(r" (?=[.,!?;]|:(?!\)))", "", sentence)
    sentence = re.sub(r"(?<=[.!?])\.(?=$|\s)", "", sentence)
    sentence = re.sub(r"(?<=[!?:])[,.]", "", sentence)
    return sentence[:1].upper() + sentence[1:]


def with_article(noun: str) -> str:
    """The noun phrase with a or an."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def write_once(make: Callable[[int], str], written: Counter[str]) -> str:
    """The first sentence of `make(attempt)` that is not yet worn out, and counts it."""
    for attempt in range(TRIES):
        sentence = tidy(make(attempt))
        # Early attempts insist on something new, late ones accept a repetition.
        if written[sentence] < min(MAX_REPEATS, 1 + attempt // 5):
            written[sentence] += 1
            return sentence
    raise ValueError(f"the wordings are used up, add more of them: {sentence!r}")


class Frames:
    """What people put around a clause, by what it is about and the mood in which they say it."""

    def __init__(self, prose: Mapping[str, Any]) -> None:
        self._frames = {name: lines(block) for name, block in prose["frames"].items()}
        self._subjects = frozenset(prose["subjects"])
        self._verbs = frozenset(prose["verbs"])
        self._past = frozenset(prose["past"])
        self._present = frozenset(prose["present"])

    def around(
        self, clause: str, topic: str, mood: str, draws: Draws, is_tip: bool, attempt: int
    ) -> str:
        """A template: the clause, in half of the cases within a frame. `topic`: fact or opinion."""
        if attempt < 8 and is_tip:
            frames = self._frames["tip"] + (self._frames["tip_glad"] if mood == "glad" else [])
            return draws.pick(frames).replace("<clause>", clause)
        if attempt < 8 and draws.chance(0.5):
            return f"{clause}."
        names = [topic, mood] if mood in ("glad", "annoyed") else [topic]
        tokens = re.findall(r"[\w']+", clause.lower())
        if tokens[0] in self._subjects and not self._verbs.isdisjoint(tokens):
            names += [f"{name}_sentence" for name in names]
            if not self._past.isdisjoint(tokens) and self._present.isdisjoint(tokens):
                names.append("past")
        frames = self._frames[draws.pick(names)]
        return draws.pick(frames).replace("<clause>", clause)


def lines(block: str) -> list[str]:
    """The wordings of a block, one a line."""
    return [line.strip() for line in block.splitlines() if line.strip()]
