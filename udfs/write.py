"""Role writer: requirements out of a text or a caption, and questions out of requirements.

`write_constraint` takes one concrete thing that the evidence shows and says it in our own words
("serves wood-fired pizza"); `write_question` is a grammar, in `write_grammar.py`. Both prefer
nothing over nonsense.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from udfs.extract import extract_features, is_english
from udfs.lexicon import singular
from udfs.opinions import opinion_words
from udfs.text import split_sentences
from udfs.write_grammar import write_question
from udfs.write_phrases import Sentence, Thing, parse, thing_words, things

__all__ = ["Constraint", "write_constraint", "write_question"]

_MAX_PHRASE = 140
_MAX_SHARED_RUN = 5
_SMALL_WORDS = frozenset(
    ("a", "an", "and", "at", "by", "for", "in", "of", "on", "the", "to", "with")
)


class Constraint(NamedTuple):
    """A requirement: the claim to judge, the phrase for a question, the sentence it came from."""

    claim: str
    phrase: str
    sentence: str


def write_constraint(source: str, evidence: str, avoid: str) -> Constraint | None:
    """One checkable requirement from a text or a caption; None when it holds nothing usable.

    `source` is 'text' or 'photo'; no word of `avoid` (the record's name and categories) appears in
    the answer, nor a run of six words of the evidence.
    """
    if source not in ("text", "photo"):
        raise ValueError(f"source '{source}' is neither 'text' nor 'photo'")
    is_caption = source == "photo"
    best: tuple[float, Constraint] | None = None
    for sentence in split_sentences(evidence):
        for weight, constraint in _candidates(sentence, is_caption):
            if (best is None or weight > best[0]) and _is_allowed(constraint, evidence, avoid):
                best = (weight, constraint)
    if best is None and not is_caption:
        return _praise(evidence, avoid)
    return best[1] if best else None


def _candidates(sentence: str, is_caption: bool) -> list[tuple[float, Constraint]]:
    parsed = parse(sentence)
    letters = [word for word in parsed.words if word[0].isalpha()]
    if sentence.rstrip(" \"')").endswith("?") or not letters or not is_english(letters):
        return []
    found = list(things(parsed, is_caption))
    if is_caption:
        return _shown(parsed, found, sentence)
    return [
        (thing.weight, _said(parsed, thing, sentence))
        for thing in found
        if _is_of_the_place(parsed, thing)
    ]


def _is_of_the_place(parsed: Sentence, thing: Thing) -> bool:
    lists = thing_words()
    if set(parsed.words) & lists["doubts"]:
        return False
    near = {parsed.word(thing.start - 1), parsed.word(thing.start - 2)}
    return not near & lists["foreign_before"]


def _said(parsed: Sentence, thing: Thing, sentence: str) -> Constraint:
    verb = {"food": "serves", "drink": "serves", "service": "offers"}.get(thing.kind, "has")
    if verb == "serves" and not set(parsed.words) & thing_words()["eating"]:
        verb = "offers"
    phrase = f"{verb} {thing.text}"
    return Constraint(f"It {phrase}.", phrase, sentence)


def _shown(parsed: Sentence, found: list[Thing], sentence: str) -> list[tuple[float, Constraint]]:
    """Each thing of a caption, and each pair that a preposition joins."""
    joins = thing_words()["joins"]
    shown = [(thing.weight, thing.text) for thing in found]
    for first, second in pairwise(found):
        between = [w for w in parsed.words[first.end : second.start] if w not in ("a", "an", "the")]
        if len(between) == 1 and between[0] in joins and len(first.words) + len(second.words) <= 4:
            join = "and" if between[0] == "," else between[0]
            weight = first.weight + second.weight
            shown.append((weight, f"{first.text} {join} {second.text}"))
            # Without its article, where the other form repeats too much of the caption.
            shown.append((weight, f"{first.text} {join} {' '.join(second.words)}"))
    return [
        (weight, Constraint(f"A photo shows {text}.", f"has photos showing {text}", sentence))
        for weight, text in shown
    ]


def _praise(evidence: str, avoid: str) -> Constraint | None:
    """What the text praises, where it names nothing more concrete: "its friendly staff"."""
    kept_words = {o.kept for o in opinion_words().opinions.values() if o.kept}
    lists = thing_words()
    praised = lists["praised"] | lists["thing"] | lists["food"] | lists["drink"] | lists["view"]
    for sentence in split_sentences(evidence):
        for feature in extract_features(sentence):
            words = feature.feature.split()
            if feature.polarity != "positive" or len(words) < 2 or words[0] not in kept_words:
                continue
            if words[-1] not in praised:
                continue
            noun = " ".join(words[1:])
            verb = "are" if noun.endswith("s") and not noun.endswith("ss") else "is"
            constraint = Constraint(
                f"The {noun} {verb} {words[0]}.",
                f"is praised by guests for its {feature.feature}",
                sentence,
            )
            if feature.confidence >= 0.8 and _is_allowed(constraint, evidence, avoid):
                return constraint
    return None


def _is_allowed(constraint: Constraint, evidence: str, avoid: str) -> bool:
    if len(constraint.phrase) > _MAX_PHRASE:
        return False
    avoided = {singular(word) for word in _words(avoid)} - _SMALL_WORDS
    if avoided & {singular(word) for word in _words(constraint.phrase)}:
        return False
    said = " ".join(_words(evidence))
    for text in (constraint.claim, constraint.phrase):
        words = _words(text)
        runs = zip(*(words[start:] for start in range(_MAX_SHARED_RUN + 1)), strict=False)
        if any(f" {' '.join(run)} " in f" {said} " for run in runs):
            return False
    return True


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())
