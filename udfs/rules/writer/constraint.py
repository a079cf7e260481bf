"""The embedded writer of requirements.

It takes one concrete thing that a text or a caption shows and says it in our own words ("serves
wood-fired pizza"). It prefers nothing over nonsense.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from udfs.english.lexicon import singular, word_set
from udfs.english.opinions import opinion_of, opinion_words
from udfs.english.sentences import split_sentences
from udfs.rules.extractor.features import extract_features, is_english
from udfs.rules.writer.phrases import Sentence, Thing, link, parse, shorten, thing_words, things
from udfs.rules.writer.question import plural

_MAX_PHRASE = 140
_MAX_PAIR = 4
_MAX_SHARED_RUN = 5
# Words that say nothing of a thing; macros/texts/quotes.sql keeps the same list.
SMALL_WORDS = word_set("a an and at by for in is it its of on our the their this to with")


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
    """What the sentence offers, each with its weight."""
    parsed = parse(sentence, is_caption)
    letters = [word for word in parsed.words if word[0].isalpha()]
    if sentence.rstrip(" \"')").endswith("?") or not letters or not is_english(letters):
        return []
    found = list(things(parsed))
    if is_caption:
        texts = [*_particular(found), *_pairs(parsed, found, thing_words()["joins"])]
        texts += [(shorter.weight, shorter.text) for thing in found for shorter in shorten(thing)]
        return [(weight, _shown(text, sentence)) for weight, text in texts]
    if set(parsed.words) & thing_words()["doubts"] or _has_blame(letters):
        return []
    found = [thing for thing in found if _is_of_the_place(parsed, thing)]
    said = [
        (thing.weight, _said(parsed, thing, sentence)) for thing in found if thing.is_particular
    ]
    overviews = [thing for thing in found if thing.kind in ("view", "collection")]
    for weight, text in _pairs(parsed, found, frozenset(("of",)), overviews):
        said.append((weight, Draft(f"It has {text}.", f"has {text}", sentence)))
    return said


def _has_blame(words: list[str]) -> bool:
    opinions = (opinion_of(word) for word in words)
    return any(opinion is not None and not opinion.is_positive for opinion in opinions)


def _particular(found: list[Thing]) -> list[tuple[float, str]]:
    return [(thing.weight, thing.text) for thing in found if thing.is_particular]


def _pairs(
    parsed: Sentence, found: list[Thing], joins: frozenset[str], firsts: list[Thing] | None = None
) -> list[tuple[float, str]]:
    """Neighbours that belong together: "lights strung over a patio", "a view of vineyards"."""
    pairs = []
    vague = thing_words()["vague"]
    for first, second in pairwise(found):
        tie = link(parsed, first, second)
        size = len(first.words) + len(second.words)
        if tie.split(" ")[-1] not in joins or size > _MAX_PAIR:
            continue
        if "other" in (first.kind, second.kind) and not _is_tight(tie, first, second):
            continue
        if (first.is_plain and second.is_plain) or singular(second.words[-1]) in vague:
            continue
        if firsts is not None and first not in firsts:
            continue
        both = first.is_particular and second.is_particular
        if (tie == "and" and not both) or (first.kind == "collection" and tie != "of"):
            continue
        weight = first.weight + second.weight + 0.5
        pairs.append((weight, f"{first.text} {tie} {second.text}"))
        # Without its article, where the other form repeats too much of the evidence.
        pairs.append((weight, f"{first.text} {tie} {' '.join(second.words)}"))
    return pairs


def _is_tight(tie: str, first: Thing, second: Thing) -> bool:
    """Whether a noun of no list may take part: "sunflowers in tin buckets", "mugs with handles"."""
    if second.kind == "other":
        return first.kind != "other" and (tie in ("of", "with") or " " in tie)
    return second.is_particular or " " in tie


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
    """What the text praises, where it names nothing more concrete: "its friendly staff"."""
    kept_words = {o.kept for o in opinion_words().opinions.values() if o.kept}
    lists = thing_words()
    praised = lists["praised"] | lists["thing"] | lists["food"] | lists["drink"] | lists["view"]
    for sentence in split_sentences(evidence):
        for feature in extract_features(sentence):
            words = feature.feature.split()
            if feature.polarity != "positive" or len(words) < 2 or words[0] not in kept_words:
                continue
            head = singular(words[-1])
            if words[-1] not in praised and head not in praised:
                continue
            noun = " ".join(words[1:])
            if head in lists["counted"] | lists["food"] - lists["mass"]:
                noun = plural(noun) if singular(noun) == noun else noun
            verb = "are" if noun.endswith("s") and not noun.endswith("ss") else "is"
            constraint = Draft(
                f"The {noun} {verb} {words[0]}.",
                f"is praised by guests for its {words[0]} {noun}",
                sentence,
            )
            if feature.confidence >= 0.8 and is_allowed(constraint, evidence, avoid):
                return constraint
    return None


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
    """Whether a wording holds all that its evidence says, in the same order.

    Evidence of one or two words is a bare noun ("Picnic tables"): there is no other way to say it.
    """
    words = _words(evidence)
    if len(words) < 3:
        return False
    rest = iter([singular(word) for word in _words(wording)])
    return all(singular(word) in rest for word in words if word not in SMALL_WORDS)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())
