"""What a claim names, and what a sentence says of it: words, other words, opposites, negation."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from udfs.english.sentences import (
    is_negation,
    is_word,
    negation_cues,
    stem,
    tokenize,
    waived,
    without_idioms,
)

_CUES = Path(__file__).with_name("cues.yml")
_NO_TEXT_CONTRADICTS = re.compile(
    r"\d|^it is (in|at|on|near|within|located|listed|rated|the nearest|north|south|east|west)\b",
    re.I,
)
_NEGATION = re.compile(r"\s+(?:no|not|never)\s+", re.I)
_GUESTS = frozenset(["i", "we", "you"])
_GUEST_NEGATIONS = frozenset(["don't", "didn't", "dont", "didnt", "never", "haven't"])
_HELPERS = frozenset(["do", "did", "have"])
_TURNS = frozenset(["but", "however", "because", "although", "though", "except"])
_WILD = "*"
_SENTIMENT_FROM = 0.2

Phrase = tuple[str, ...]


class Cue(NamedTuple):
    """A phrase (stems) that touches topic number `topic` of a claim, or says its opposite."""

    phrase: Phrase
    topic: int
    is_opposite: bool
    is_known: bool


class Claim(NamedTuple):
    """What the rules need of a claim sentence; cues by their first stem.

    query: the sentence without its negation, which is what a text about it looks like;
    telling: topics, by index, of which a sentence about it touches at least one: the others, such
    as the parking of "bike parking", it shares with claims of the same kind.
    """

    query: str
    topics: int
    telling: frozenset[int]
    has_number: bool
    cues: dict[str, list[Cue]]
    is_negative: bool
    sentiment: int


class Reading(NamedTuple):
    """What one sentence says of a claim.

    overlap: share of the claim's topics that it touches; direction: 1 for, -1 against, 0 unclear;
    has_cue: touched by another word for it that cues.yml knows; has_opposite: by an opposite.
    """

    sentence: str
    overlap: float
    direction: int
    has_cue: bool
    has_opposite: bool


class _Match(NamedTuple):
    start: int
    end: int
    cue: Cue


class _Entry(NamedTuple):
    names: tuple[Phrase, ...]
    same: tuple[Phrase, ...]
    opposite: tuple[Phrase, ...]


class _Knowledge(NamedTuple):
    frame: frozenset[str]
    kinds: frozenset[str]
    guest_verbs: frozenset[str]
    praise: frozenset[str]
    criticism: frozenset[str]
    entries: tuple[_Entry, ...]


def may_contradict(claim: str) -> bool:
    """Whether a text can contradict the claim: numbers and places are known from fields."""
    return not _NO_TEXT_CONTRADICTS.search(claim)


@lru_cache(maxsize=8192)
def parse_claim(text: str) -> Claim:
    """The topics of a claim sentence with all the ways to touch them."""
    knowledge = _knowledge()
    words = [token for token in tokenize(text) if is_word(token)]
    stems = [stem(word) for word in words]
    topics = [i for i, word in enumerate(words) if word not in knowledge.frame]
    topics = topics or [i for i, word in enumerate(words) if not is_negation(word)]
    cues = {Cue((stems[index],), number, False, False): None for number, index in enumerate(topics)}
    for entry, covered in _entries_of(stems, knowledge):
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
    is_negative = any(cue is not None for cue in negation_cues(words))
    query = _NEGATION.sub(" ", text) if is_negative else text
    return Claim(
        query=query,
        topics=len(topics),
        telling=_telling([words[index] for index in topics], knowledge),
        has_number=any(words[index].isdigit() for index in topics),
        cues=by_first,
        is_negative=is_negative,
        sentiment=_sentiment_of_claim(words, knowledge),
    )


def _telling(topics: list[str], knowledge: _Knowledge) -> frozenset[int]:
    """The digits of a claim, else the words that name no kind, else all."""
    digits = frozenset(index for index, word in enumerate(topics) if word.isdigit())
    things = frozenset(index for index, word in enumerate(topics) if word not in knowledge.kinds)
    return digits or things or frozenset(range(len(topics)))


def read_sentence(claim: Claim, sentence: str) -> Reading:
    """Which topics of the claim the sentence touches, and whether it says so or the opposite."""
    words, stems, distinct = _parse_sentence(sentence)
    matches = [] if distinct.isdisjoint(claim.cues) else _matches(claim, stems)
    touched = {match.cue.topic for match in matches}
    if not _is_about(claim, touched, words, matches) or words[-1] == "?":
        return Reading(sentence, 0.0, 0, False, False)
    overlap = len(touched) / max(claim.topics, 1)
    direction = _direction(claim, words, matches, sentence)
    has_cue = any(match.cue.is_known for match in matches)
    has_opposite = any(match.cue.is_opposite for match in matches)
    return Reading(sentence, overlap, direction, has_cue, has_opposite)


def _is_about(
    claim: Claim, touched: set[int], words: tuple[str, ...], matches: list[_Match]
) -> bool:
    """Whether the sentence is about the claim, and not about another thing of its kind."""
    if touched & claim.telling:
        # A number alone counts something else: 30 minutes are no 30 feet.
        return not claim.has_number or len(touched) > 1 or claim.topics == 1
    # "No parking" denies all kinds of it, "no valet parking" one.
    return any(match.start and is_negation(words[match.start - 1]) for match in matches)


def _direction(claim: Claim, words: tuple[str, ...], matches: list[_Match], sentence: str) -> int:
    cues = negation_cues(list(words))
    is_waived = waived(list(words))
    says: dict[bool, list[_Match]] = {True: [], False: []}
    for match in matches:
        if is_waived[match.start]:
            # "No need to bring cash" speaks for cards; "no need to book" says nothing of booking.
            if match.cue.is_opposite:
                says[True].append(match)
            continue
        cue = cues[match.start]
        if cue is not None and _is_of_guest(words, cue):
            return 0
        has_own_negation = any(is_negation(word) for word in words[match.start : match.end])
        is_negated = cue is not None and not has_own_negation
        if match.cue.is_opposite and match.start and words[match.start - 1] == "not":
            is_negated = True  # "not only cash" looks like no negation elsewhere
        says[is_negated == match.cue.is_opposite].append(match)
    if not says[True] and not says[False]:
        return 0
    is_for = _is_last_word(words, says[True], says[False])
    if is_for is None:
        return 0
    if not is_for:
        direction = -1
    elif claim.sentiment:
        # "Crispy fries" need no other praise for a claim of crispy fries; "fries" do.
        is_whole = 1 < claim.topics == len({match.cue.topic for match in matches})
        return (_sentiment(sentence) or is_whole) * claim.sentiment
    else:
        direction = 1
    return -direction if claim.is_negative else direction


def _matches(claim: Claim, stems: tuple[str, ...]) -> list[_Match]:
    """Where the cues of the claim occur; a match inside a longer one does not count."""
    found = []
    for start, first in enumerate(stems):
        for cue in claim.cues.get(first, ()):
            end = _end_of(stems, start, cue.phrase)
            if end:
                found.append(_Match(start, end, cue))
    return [
        match
        for match in found
        if not any(
            other.start <= match.start
            and match.end <= other.end
            and other.end - other.start > match.end - match.start
            and other.cue.is_opposite != match.cue.is_opposite
            for other in found
        )
    ]


def _end_of(stems: tuple[str, ...], start: int, phrase: Phrase) -> int:
    """Where a phrase that begins at `start` ends; 0 when it does not occur there."""
    position = start
    for index, part in enumerate(phrase):
        if part == _WILD:
            rest = phrase[index + 1 :]
            ends = (_end_of(stems, position + width, rest) for width in (1, 2))
            return next((end for end in ends if end), 0)
        if position >= len(stems) or stems[position] != part:
            return 0
        position += 1
    return position


def _entries_of(stems: list[str], knowledge: _Knowledge) -> list[tuple[_Entry, set[int]]]:
    """The entries whose names occur in a claim, and where; a longer name hides those inside it."""
    found = []
    for entry in knowledge.entries:
        covered = {index for name in entry.names for index in _positions(stems, name)}
        if covered:
            found.append((entry, covered))
    return [
        (entry, covered)
        for entry, covered in found
        if not any(covered < other for _, other in found)
    ]


def _positions(stems: list[str], phrase: Phrase) -> list[int]:
    size = len(phrase)
    return [
        index
        for start in range(len(stems) - size + 1)
        if tuple(stems[start : start + size]) == phrase
        for index in range(start, start + size)
    ]


def _is_last_word(
    words: tuple[str, ...], affirmed: list[_Match], denied: list[_Match]
) -> bool | None:
    """Whether the sentence affirms; None when it both affirms and denies the same topics.

    A "but" decides: "I wanted to sit outside but there are no tables".
    """
    if not denied:
        return True
    if not {match.cue.topic for match in denied} <= {match.cue.topic for match in affirmed}:
        return False
    turns = [index for index, word in enumerate(words) if word in _TURNS]
    if not turns:
        return None
    late_affirmed = any(match.start > turns[-1] for match in affirmed)
    late_denied = any(match.start > turns[-1] for match in denied)
    return None if late_affirmed == late_denied else late_affirmed


def _is_of_guest(words: tuple[str, ...], cue: int) -> bool:
    """Whether the negation is the guest's own: "we didn't have a reservation"."""
    is_own = words[cue] in _GUEST_NEGATIONS or (words[cue] == "not" and words[cue - 1] in _HELPERS)
    if not is_own or not _GUESTS & set(words[max(cue - 2, 0) : cue]):
        return False
    verbs = _knowledge().guest_verbs
    return any(verb in verbs for verb in words[cue + 1 : cue + 3])


def _sentiment_of_claim(words: list[str], knowledge: _Knowledge) -> int:
    if knowledge.praise.intersection(words):
        return 1
    return -1 if knowledge.criticism.intersection(words) else 0


@lru_cache(maxsize=16384)
def _sentiment(sentence: str) -> int:
    words = without_idioms(tokenize(sentence))
    score = _vader().polarity_scores(" ".join(words))["compound"]
    return (score > _SENTIMENT_FROM) - (score < -_SENTIMENT_FROM)


@lru_cache(maxsize=1)
def _vader() -> Any:
    return SentimentIntensityAnalyzer()


@lru_cache(maxsize=32768)
def _parse_sentence(sentence: str) -> tuple[tuple[str, ...], tuple[str, ...], frozenset[str]]:
    """Words, their stems, and the distinct stems; kept, because many claims meet one sentence."""
    words = tuple(tokenize(sentence))
    stems = tuple(stem(word) for word in words)
    return words, stems, frozenset(stems)


@lru_cache(maxsize=1)
def _knowledge() -> _Knowledge:
    content = yaml.safe_load(_CUES.read_text(encoding="utf-8"))
    words = {
        name: frozenset(content[name].split())
        for name in ("frame", "kinds", "guest_verbs", "praise", "criticism")
    }
    entries = tuple(
        _Entry(*(_phrases(entry.get(part, [])) for part in ("names", "same", "opposite")))
        for entry in content["entries"]
    )
    return _Knowledge(**words, entries=entries)


def _phrases(texts: list[str]) -> tuple[Phrase, ...]:
    return tuple(_phrase(str(text)) for text in texts)


def _phrase(text: str) -> Phrase:
    parts = text.split(f" {_WILD} ")
    stems = [[stem(token) for token in tokenize(part) if is_word(token)] for part in parts]
    joined = stems[0]
    for part in stems[1:]:
        joined = [*joined, _WILD, *part]
    return tuple(joined)
