"""The embedded writer of requirements.

It takes one concrete thing that a text or a caption shows and says it in our own words ("serves
wood-fired pizza"). It prefers nothing over nonsense.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from udfs.english.inflection import plural, singular
from udfs.english.lexicon import is_english
from udfs.english.noun_phrases import Thing, thing_words, things
from udfs.english.opinions.remarks import remarks, spell_out
from udfs.english.opinions.words import opinion_of, opinion_words
from udfs.english.parse import Sentence, parse
from udfs.english.sentences import split_sentences
from udfs.english.word_lists import SMALL_WORDS
from udfs.rules.writer.pairs import pair, shorten

_MAX_PHRASE = 140
_MAX_SHARED_RUN = 5
_SURE_FROM = 0.8


class Draft(NamedTuple):
    """A requirement: the claim to judge, the phrase for a question, the sentence it came from."""

    claim: str
    phrase: str
    sentence: str


def write_constraint(source: str, evidence: str, avoid: str) -> Draft | None:
    """One checkable requirement from a text or a caption; None when it holds nothing usable.

    `source` is 'text' or 'photo'; no word of `avoid` (the record's name and categories) appears in
    the answer, nor a run of six words of the evidence, nor the whole of it.
    """
    if source not in ("text", "photo"):
        raise ValueError(f"source '{source}' is neither 'text' nor 'photo'")
    is_caption = source == "photo"
    best: tuple[float, Draft] | None = None
    for sentence in split_sentences(evidence):
        for weight, constraint in _candidates(sentence, is_caption):
            if (best is None or weight > best[0]) and is_allowed(constraint, evidence, avoid):
                best = (weight, constraint)
    if best is None and not is_caption:
        return _praise(evidence, avoid)
    return best[1] if best else None


def _candidates(sentence: str, is_caption: bool) -> list[tuple[float, Draft]]:
    """The requirements that the sentence offers, each with its weight."""
    parsed = parse(sentence, is_caption)
    letters = [word for word in parsed.words if word[0].isalpha()]
    if sentence.rstrip(" \"')").endswith("?") or not letters or not is_english(letters):
        return []
    found = list(things(parsed))
    if is_caption:
        texts = [*_particular(found), *pair(parsed, found, thing_words()["joins"])]
        texts += [(shorter.weight, shorter.text) for thing in found for shorter in shorten(thing)]
        return [(weight, _shown(text, sentence)) for weight, text in texts]
    if set(parsed.words) & thing_words()["doubts"] or _has_blame(letters):
        return []
    found = [thing for thing in found if _is_of_the_place(parsed, thing)]
    said = [
        (thing.weight, _said(parsed, thing, sentence)) for thing in found if thing.is_particular
    ]
    overviews = [thing for thing in found if thing.kind in ("view", "collection")]
    for weight, text in pair(parsed, found, frozenset(("of",)), overviews):
        said.append((weight, Draft(f"It has {text}.", f"has {text}", sentence)))
    return said


def _has_blame(words: list[str]) -> bool:
    opinions = (opinion_of(word) for word in words)
    return any(opinion is not None and not opinion.is_positive for opinion in opinions)


def _particular(found: list[Thing]) -> list[tuple[float, str]]:
    return [(thing.weight, thing.text) for thing in found if thing.is_particular]


def _is_of_the_place(parsed: Sentence, thing: Thing) -> bool:
    near = {parsed.word(thing.start - 1), parsed.word(thing.start - 2)}
    return not near & thing_words()["foreign_before"]


def _said(parsed: Sentence, thing: Thing, sentence: str) -> Draft:
    verb = {"food": "serves", "drink": "serves", "service": "offers"}.get(thing.kind, "has")
    if verb == "serves" and not set(parsed.words) & thing_words()["eating"]:
        verb = "offers"
    phrase = f"{verb} {thing.text}"
    return Draft(f"It {phrase}.", phrase, sentence)


def _shown(text: str, sentence: str) -> Draft:
    return Draft(f"A photo shows {text}.", f"has photos showing {text}", sentence)


def _praise(evidence: str, avoid: str) -> Draft | None:
    """A requirement of a praised feature, for a text without concrete things."""
    kept_words = {o.kept for o in opinion_words().opinions.values() if o.kept}
    for sentence in split_sentences(evidence):
        for remark in remarks(spell_out(sentence)):
            kept, _, noun = remark.feature.partition(" ")
            is_sure = remark.is_positive and remark.confidence >= _SURE_FROM
            if not is_sure or kept not in kept_words or not _may_be_praised(noun):
                continue
            constraint = _praising(kept, noun, sentence)
            if is_allowed(constraint, evidence, avoid):
                return constraint
    return None


def _may_be_praised(noun: str) -> bool:
    lists = thing_words()
    praised = lists["praised"] | lists["thing"] | lists["food"] | lists["drink"] | lists["view"]
    last = noun.rpartition(" ")[2]
    return last in praised or singular(last) in praised


def _praising(kept: str, noun: str, sentence: str) -> Draft:
    lists = thing_words()
    head = singular(noun.rpartition(" ")[2])
    if head in lists["counted"] | lists["food"] - lists["mass"] and singular(noun) == noun:
        noun = plural(noun)
    verb = "are" if noun.endswith("s") and not noun.endswith("ss") else "is"
    return Draft(
        f"The {noun} {verb} {kept}.", f"is praised by guests for its {kept} {noun}", sentence
    )


def is_allowed(constraint: Draft, evidence: str, avoid: str) -> bool:
    if len(constraint.phrase) > _MAX_PHRASE:
        return False
    avoided = {singular(word) for word in _words(avoid)} - SMALL_WORDS
    if avoided & {singular(word) for word in _words(constraint.phrase)}:
        return False
    if _is_whole(constraint.phrase, evidence) or _is_whole(constraint.claim, evidence):
        return False
    said = " ".join(_words(evidence))
    for text in (constraint.claim, constraint.phrase):
        words = _words(text)
        runs = zip(*(words[start:] for start in range(_MAX_SHARED_RUN + 1)), strict=False)
        if any(f" {' '.join(run)} " in f" {said} " for run in runs):
            return False
    return True


def _is_whole(wording: str, evidence: str) -> bool:
    """Whether a wording holds every content word of its evidence, in the same order.

    Evidence of one or two words is a bare noun ("Picnic tables"), which has no other wording.
    """
    words = _words(evidence)
    if len(words) < 3:
        return False
    rest = iter([singular(word) for word in _words(wording)])
    return all(singular(word) in rest for word in words if word not in SMALL_WORDS)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())
