"""Turns wordings with {alternatives} and <lists> into sentences, none of them too often."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .draws import Draws

ALTERNATIVES = re.compile(r"\{([^{}]*)\}")
LIST_NAME = re.compile(r"<(\w+)>")
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


class Written:
    """The sentences of a city so far, none of them more than `most` times."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._counts: Counter[str] = Counter()

    def take(self, sentence: str, most: int) -> bool:
        """Counts the sentence, unless it is there that often."""
        is_free = self._counts[sentence] < min(most, self._most)
        self._counts[sentence] += is_free
        return is_free

    def once(self, make: Callable[[int], str]) -> str:
        """The first sentence of `make(attempt)` that is not worn out, as new as possible."""
        for attempt in range(TRIES):
            sentence = tidy(make(attempt))
            # Early attempts insist on something new, late ones accept a repetition.
            if self.take(sentence, most=1 + attempt * self._most * 4 // (3 * TRIES)):
                return sentence
        raise ValueError(f"the wordings are used up, add more of them: {sentence!r}")


@dataclass(frozen=True)
class Tone:
    """How a clause is said: topic is fact or opinion, mood is glad, annoyed or plain."""

    topic: str
    mood: str
    is_tip: bool
    is_first: bool
    is_contrast: bool


class Frames:
    """What people put around a clause, by what it is about and the mood in which they say it."""

    def __init__(self, prose: Mapping[str, Any]) -> None:
        self._frames = {name: lines(block) for name, block in prose["frames"].items()}
        self._subjects = frozenset(prose["subjects"])
        self._verbs = frozenset(prose["verbs"])
        self._past = frozenset(prose["past"])
        self._present = frozenset(prose["present"])

    def around(self, clause: str, tone: Tone, draws: Draws, attempt: int) -> str:
        """A template: the clause, in half of the cases within a frame."""
        names = self._fitting(clause, tone)
        if attempt < 8:
            if tone.is_tip:
                names = ["tip", "tip_glad"] if tone.mood == "glad" else ["tip"]
            elif tone.is_contrast and draws.chance(0.5):
                names = ["contrast"]
            elif draws.chance(0.5):
                return f"{clause}."
        frames = self._frames[draws.pick(names)]
        frames = [frame for frame in frames if not (tone.is_first and frame.startswith("+"))]
        return draws.pick(frames or ["<clause>."]).lstrip("+").replace("<clause>", clause)

    def _fitting(self, clause: str, tone: Tone) -> list[str]:
        names = [tone.topic, tone.mood] if tone.mood != "plain" else [tone.topic]
        tokens = re.findall(r"[\w']+", clause.lower())
        if tokens[0] in self._subjects and not self._verbs.isdisjoint(tokens):
            names += [f"{name}_sentence" for name in names]
            if not self._past.isdisjoint(tokens) and self._present.isdisjoint(tokens):
                names.append("past")
        return names


def lines(block: str) -> list[str]:
    """The wordings of a block, one a line."""
    return [line.strip() for line in block.splitlines() if line.strip()]
