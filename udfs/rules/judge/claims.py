"""What a claim is about: its topics, and every way in which a sentence can touch them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from udfs.english.negation import is_negation, negation_cues
from udfs.english.sentences import is_word, stem, tokenize
from udfs.rules.judge.cues import Phrase, cue_words, entries_of

_NO_TEXT_CONTRADICTS = re.compile(
    r"\d|^it is (in|at|on|near|within|located|listed|rated|the nearest|north|south|east|west)\b",
    re.I,
)
_NEGATION = re.compile(r"\s+(?:no|not|never)\s+", re.I)


class Cue(NamedTuple):
    """A phrase (stems) that touches topic number `topic` of a claim, or says its opposite."""

    phrase: Phrase
    topic: int
    is_opposite: bool
    is_known: bool


class Claim(NamedTuple):
    """A claim sentence as the rules read it; cues by their first stem.

    query: the claim without its negation, worded as a text about it would be;
    topics: how many words of the claim name its subject;
    telling: the topics, by index, that only this claim has; a sentence about the claim touches one
    of them. The parking of "bike parking" is none: every claim of a parking has it.
    sentiment: 1 for a claim of praise, -1 for one of criticism, 0 for a plain fact.
    """

    query: str
    topics: int
    telling: frozenset[int]
    has_number: bool
    cues: dict[str, list[Cue]]
    is_negative: bool
    sentiment: int


def may_contradict(claim: str) -> bool:
    """Whether a text can contradict the claim: numbers and places are known from fields."""
    return not _NO_TEXT_CONTRADICTS.search(claim)


@lru_cache(maxsize=8192)
def parse_claim(text: str) -> Claim:
    """The topics of a claim sentence with all the ways to touch them."""
    words = [token for token in tokenize(text) if is_word(token)]
    stems = [stem(word) for word in words]
    topics = [i for i, word in enumerate(words) if word not in cue_words().frame]
    topics = topics or [i for i, word in enumerate(words) if not is_negation(word)]
    is_negative = any(cue is not None for cue in negation_cues(words))
    query = _NEGATION.sub(" ", text) if is_negative else text
    return Claim(
        query=query,
        topics=len(topics),
        telling=_telling([words[index] for index in topics]),
        has_number=any(words[index].isdigit() for index in topics),
        cues=_cues_of(stems, topics),
        is_negative=is_negative,
        sentiment=_sentiment_of_claim(words),
    )


def _cues_of(stems: list[str], topics: list[int]) -> dict[str, list[Cue]]:
    """The cues of the topics, which are positions among the stems; by first stem, each once."""
    cues = {Cue((stems[index],), number, False, False): None for number, index in enumerate(topics)}
    for entry, covered in entries_of(stems):
        for number, index in enumerate(topics):
            if index in covered:
                cues |= {
                    Cue(phrase, number, False, True): None
                    for phrase in entry.same
                    if phrase != (stems[index],)
                }
                cues |= {Cue(phrase, number, True, True): None for phrase in entry.opposite}
    by_first: dict[str, list[Cue]] = {}
    for cue in cues:
        by_first.setdefault(cue.phrase[0], []).append(cue)
    return by_first


def _telling(topics: list[str]) -> frozenset[int]:
    """The digits of a claim, else the words that name no kind of thing, else all of its topics."""
    digits = frozenset(index for index, word in enumerate(topics) if word.isdigit())
    things = frozenset(index for index, word in enumerate(topics) if word not in cue_words().kinds)
    return digits or things or frozenset(range(len(topics)))


def _sentiment_of_claim(words: list[str]) -> int:
    if cue_words().praise.intersection(words):
        return 1
    return -1 if cue_words().criticism.intersection(words) else 0
