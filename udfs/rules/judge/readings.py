"""Whether one sentence is about a claim, and whether it affirms or denies the claim."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from udfs.english.negation import is_negation, negation_cues, waived, without_idioms
from udfs.english.sentences import stem, tokenize
from udfs.rules.judge.claims import Claim, Cue
from udfs.rules.judge.cues import WILD, Phrase, cue_words

_GUESTS = frozenset(["i", "we", "you"])
_GUEST_NEGATIONS = frozenset(["don't", "didn't", "dont", "didnt", "never", "haven't"])
_HELPERS = frozenset(["do", "did", "have"])
_TURNS = frozenset(["but", "however", "because", "although", "though", "except"])
_SENTIMENT_FROM = 0.2


class Reading(NamedTuple):
    """One sentence, read for a claim.

    overlap: share of the claim's topics that the sentence touches; direction: 1 where it affirms
    the claim, -1 where it denies the claim, 0 where it does neither; has_cue: whether it touches a
    topic by a phrase of cues.yml; has_opposite: whether by an opposite of the topic.
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


def read_sentence(claim: Claim, sentence: str) -> Reading:
    """Which topics of the claim the sentence touches, and whether it affirms or denies it."""
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
    verbs = cue_words().guest_verbs
    return any(verb in verbs for verb in words[cue + 1 : cue + 3])


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
        if part == WILD:
            rest = phrase[index + 1 :]
            ends = (_end_of(stems, position + width, rest) for width in (1, 2))
            return next((end for end in ends if end), 0)
        if position >= len(stems) or stems[position] != part:
            return 0
        position += 1
    return position


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
    """Words, their stems, and the distinct stems; cached, because many claims meet one sentence."""
    words = tuple(tokenize(sentence))
    stems = tuple(stem(word) for word in words)
    return words, stems, frozenset(stems)
