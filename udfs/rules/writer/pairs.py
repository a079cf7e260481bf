"""Which things a requirement names together, and which words of one thing it may leave out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from udfs.english.inflection import article, singular
from udfs.english.lexicon import word_class
from udfs.english.noun_phrases import DETERMINERS, Thing, is_particular, thing_words
from udfs.english.parse import Sentence

_MAX_PAIR = 4
_SKIPPED = DETERMINERS | {"a", "an"}


def shorten(thing: Thing) -> Iterator[Thing]:
    """The same thing with fewer words in front, as long as it is still a particular one.

    Where the whole repeats too much of the evidence: "brick walls" of "exposed brick walls".
    """
    if not thing.is_particular:
        return
    for start in range(1, len(thing.words)):
        words = thing.words[start:]
        if is_particular(words, is_caption=True):
            has_article = thing.article in ("a", "an")
            yield replace(
                thing,
                words=words,
                start=thing.start + start,
                article=article(" ".join(words)) if has_article else "",
            )


def pair(
    sentence: Sentence,
    found: list[Thing],
    joins: frozenset[str],
    firsts: list[Thing] | None = None,
) -> Iterator[tuple[float, str]]:
    """Neighbours that belong together: "lights strung over a patio", "a view of vineyards".

    Yields the weight of each pair and its text. joins: the words that may tie two things. firsts:
    the things that may open a pair, all of `found` by default.
    """
    for first, second in pairwise(found):
        tie = _tie(sentence, first, second)
        if tie.split(" ")[-1] not in joins or (firsts is not None and first not in firsts):
            continue
        if _belong_together(first, tie, second):
            weight = first.weight + second.weight + 0.5
            yield weight, f"{first.text} {tie} {second.text}"
            # Without its article, where the other form repeats too much of the evidence.
            yield weight, f"{first.text} {tie} {' '.join(second.words)}"


def _belong_together(first: Thing, tie: str, second: Thing) -> bool:
    if len(first.words) + len(second.words) > _MAX_PAIR:
        return False
    if "other" in (first.kind, second.kind) and not _is_tight(tie, first, second):
        return False
    if (first.is_plain and second.is_plain) or singular(second.words[-1]) in thing_words()["vague"]:
        return False
    both = first.is_particular and second.is_particular
    return (tie != "and" or both) and (first.kind != "collection" or tie == "of")


def _is_tight(tie: str, first: Thing, second: Thing) -> bool:
    """Whether a noun of no list may take part: "sunflowers in tin buckets", "mugs with handles"."""
    if second.kind == "other":
        return first.kind != "other" and (tie in ("of", "with") or " " in tie)
    return second.is_particular or " " in tie


def _tie(sentence: Sentence, first: Thing, second: Thing) -> str:
    """The words between two neighbours ("strung over", "of", "and"), '' when they tie nothing."""
    lists = thing_words()
    between = sentence.words[first.end : second.opens]
    words = [word for word in between if word not in _SKIPPED and word_class(word) != "number"]
    if words == [","]:
        return "and"
    if not words or words[-1] not in lists["joins"] or len(words) > 2:
        return ""
    if len(words) == 2 and not (words[0].endswith("ed") or words[0] in lists["past"]):
        return ""
    return " ".join(words)
