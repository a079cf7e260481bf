"""What a sentence praises or blames, read off patterns and word lists.

"Friendly staff" praises a feature in front, "the staff was so friendly" behind a verb, "loved the
tacos" with the verb itself. The word lists are in `words/opinions.yml`; adjectives that they miss
take their polarity from VADER's lexicon. A doubtful opinion is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from udfs.english.lexicon import is_english
from udfs.english.noun_phrases import Noun
from udfs.english.opinions.features import feature_name
from udfs.english.opinions.signs import DOUBTS, MODALS, is_sought, sign_after_verb, sign_before_noun
from udfs.english.opinions.subjects import (
    DETERMINERS,
    exclaimed,
    is_exclamation,
    linking_verb,
    noun_after,
    nouns_from,
    pronoun_before,
    subjects_before,
    unnamed,
    verbless_subject,
)
from udfs.english.opinions.words import may_judge, opinion_of, opinion_words
from udfs.english.parse import Sentence, parse_remark
from udfs.english.word_lists import word_set

# A string that every match holds, the pattern of the idiom, and its plain words.
_IDIOMS = tuple(
    (hint, re.compile(rf"\b(?:{pattern})\b", re.I), plain)
    for hint, pattern, plain in (
        ("'s", r"(it|that|this|he|she|there|here|what|who|everything|everyone)'s", r"\1 is"),
        ("'re", r"(they|we|you)'re", r"\1 are"),
        (" fault", r"(?:can't|cannot|can not|couldn't|could not|no) fault", "love"),
        ("nything but", r"anything but", "not"),
        ("pot on", r"spot on", "spot-on"),
    )
)
_REFUSALS = word_set("not don't wouldn't can't cannot couldn't")
_HIGHLY = word_set("enough more highly")


class Remark(NamedTuple):
    """One opinion: "friendly staff" or "coffee", whether it is praise, confidence in [0, 1]."""

    feature: str
    is_positive: bool
    confidence: float


def spell_out(content: str) -> str:
    """The text with contractions and a few idioms in plain words, as `remarks` reads them."""
    content = content.replace("\u2019", "'")
    for hint, pattern, plain in _IDIOMS:
        if hint in content:
            content = pattern.sub(plain, content)
    return content


def remarks(text: str) -> Iterator[Remark]:
    """The opinions that a spelled-out sentence states, in order; a question states none."""
    sentence = parse_remark(text)
    likes = opinion_words().likes
    hits = [i for i, word in enumerate(sentence.words) if word in likes or may_judge(word)]
    if not hits or text.rstrip(" \"')").endswith("?") or not is_english(sentence.words):
        return
    for index in hits:
        if sentence.words[index] in likes:
            yield from _liked(sentence, index)
        else:
            yield from _described(sentence, index)


def _described(sentence: Sentence, index: int) -> Iterator[Remark]:
    """The opinions that the adjective at `index` states."""
    word = sentence.words[index]
    if sentence.word(index - 1) == "too" and not sentence.negated[index]:
        opinion = opinion_of(word)
        if opinion is None or opinion.is_positive:
            return
    for nouns, sign, confidence in _readings(sentence, index):
        if nouns:
            for noun in nouns if sign else []:
                yield from _judged(word, noun, sign, confidence)
            return


def _readings(sentence: Sentence, index: int) -> Iterator[tuple[list[Noun], int, float]]:
    """The nouns that the adjective may describe, with sign and confidence, the likeliest first."""
    in_front = 0 if is_sought(sentence, index) else sign_before_noun(sentence, index)
    alone = -1 if sentence.negated[index] else 1
    start = noun_after(sentence, index, through_comma=False)
    if start is not None:
        yield nouns_from(sentence, start), in_front, 0.9
    verb = linking_verb(sentence, index)
    if verb is not None:
        sign = sign_after_verb(sentence, verb, index)
        yield subjects_before(sentence, verb), sign, 0.9
        yield pronoun_before(sentence, verb, index), sign, 0.75
        return
    if is_exclamation(sentence, index):
        yield exclaimed(sentence, index), 1, 0.85
    if start is None:
        yield verbless_subject(sentence, index), alone, 0.75
    start = noun_after(sentence, index, through_comma=True)
    if start is not None:
        yield nouns_from(sentence, start), in_front, 0.8
    yield unnamed(sentence, index), alone, 0.75


def _judged(word: str, noun: Noun, sign: int, confidence: float) -> Iterator[Remark]:
    opinion = opinion_of(word, noun[0])
    if opinion is None:
        return
    if sign < 0 and not opinion.is_positive and not opinion.kept:
        confidence -= 0.3  # "not bad" is faint praise
    feature = feature_name(noun, opinion.kept) if noun[0] else ""
    if feature:
        yield Remark(feature, opinion.is_positive == (sign > 0), confidence * opinion.weight)


def _liked(sentence: Sentence, index: int) -> Iterator[Remark]:
    """ "Loved the tacos": opinions of what the verb at `index` takes as its object."""
    verb = sentence.words[index]
    is_liked = opinion_words().likes[verb]
    if _is_not_meant(sentence, index) or (not is_liked and sentence.word(index - 1) == "not"):
        return
    position = _object_of(sentence, index)
    if position is None:
        return
    sign = -1 if sentence.negated[index] else 1
    if verb == "recommend" and sentence.word(index - 1) in _REFUSALS:
        # "Could not recommend the host more highly" is the highest praise.
        sign = 1 if _HIGHLY & set(sentence.words[index:]) else -1
    for noun in nouns_from(sentence, position):
        feature = feature_name(noun, "")
        if feature:
            yield Remark(feature, is_liked == (sign > 0), 0.85)


def _is_not_meant(sentence: Sentence, index: int) -> bool:
    """Whether the liking is supposed, wished, or that of somebody else."""
    before = sentence.words[sentence.clause_start(index) : index]
    if DOUBTS & set(before) or "who" in before[-2:] or (before and before[-1] in ("you", "d")):
        return True
    return any(word in MODALS for word in before[-3:]) and sentence.words[index] != "recommend"


def _object_of(sentence: Sentence, index: int) -> int | None:
    """Where the nouns that the verb takes begin; None where an adjective there tells more."""
    position = index + 1
    while position < len(sentence.words) and (
        sentence.words[position] in DETERMINERS
        or sentence.kind(position) in ("adjective", "participle", "adverb")
    ):
        if opinion_of(sentence.words[position]) or sentence.words[position] in ("here", "there"):
            return None
        position += 1
    return position if sentence.kind(position) == "noun" and position <= index + 5 else None
