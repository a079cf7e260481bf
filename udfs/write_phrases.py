"""Noun phrases for the constraint writer: concrete things that other places could have as well."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from udfs.lexicon import article, is_known, load, singular, word_class
from udfs.opinions import opinion_of, opinion_words
from udfs.text import negated

_TOKEN = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*|[.,;:!?()\[\]\u2026\u2013\u2014]|&|\S")
_DETERMINERS = frozenset(("the", "their", "its", "our", "this", "that", "these", "those"))
_INDEFINITE = frozenset(("a", "an", "one", "each", "every"))
_MAX_WORDS = 4


@dataclass(frozen=True)
class Thing:
    """A noun phrase: its words as they stand in the text, where, and what kind of thing it is."""

    words: tuple[str, ...]
    start: int
    end: int
    kind: str
    article: str

    @property
    def text(self) -> str:
        """ "a brick fireplace"."""
        return f"{self.article} {' '.join(self.words)}".strip()

    @property
    def weight(self) -> float:
        """How specific it is: what is not a plain adjective counts more."""
        modifiers = self.words[:-1]
        precise = sum(
            "-" in word or word_class(word) in ("noun", "participle") for word in modifiers
        )
        return len(modifiers) + 0.5 * precise + (0.5 if self.kind in ("food", "drink") else 0.0)


@dataclass(frozen=True)
class Sentence:
    """A sentence as tokens, with what its negations cover."""

    raw: tuple[str, ...]
    words: tuple[str, ...]
    negated: tuple[bool, ...]

    def word(self, position: int) -> str:
        """The lower-case token there; '' outside the sentence."""
        return self.words[position] if 0 <= position < len(self.words) else ""


def parse(sentence: str) -> Sentence:
    """Tokens of a sentence: words with their hyphens, and marks."""
    raw = [("and" if t == "&" else t) for t in _TOKEN.findall(sentence.replace("\u2019", "'"))]
    words = [token.lower() for token in raw]
    return Sentence(tuple(raw), tuple(words), tuple(negated(words)))


@lru_cache(maxsize=1)
def thing_words() -> dict[str, frozenset[str]]:
    """The lists of `language/things.yml`."""
    return {name: frozenset(words.split()) for name, words in load("things.yml").items()}


def things(sentence: Sentence, is_caption: bool) -> Iterator[Thing]:
    """The concrete things that the sentence names, most of them with a word that tells them apart.

    A caption may capitalise its words; in a text a capital inside a sentence makes a name.
    """
    position = 0
    while position < len(sentence.words):
        end = position
        while _may_stand_in(sentence, end):
            end += 1
        if end == position:
            position += 1
            continue
        thing = _thing(sentence, position, end, is_caption)
        if thing is not None:
            yield thing
        position = end


def _may_stand_in(sentence: Sentence, position: int) -> bool:
    word = sentence.word(position)
    if not word or not word[0].isalpha() or word.endswith("'s"):
        return False
    kind = word_class(word)
    if kind == "participle":
        return _participle_fits(sentence, position)
    return kind in ("noun", "adjective") or opinion_of(word) is not None


def _participle_fits(sentence: Sentence, position: int) -> bool:
    """ "the grilled salmon", "with rocking chairs"; not "we shared pizza", "sitting chairs"."""
    word = sentence.word(position)
    if "-" in word:
        return True
    if word.endswith("ing"):
        return word in thing_words()["gerunds"]
    before = sentence.word(position - 1)
    kind = word_class(before) if before and before[0].isalpha() else "mark"
    return (
        before in _DETERMINERS | _INDEFINITE
        or before in ("with", "of", "had", "have", "has")
        or (kind == "adjective")
    )


def _thing(sentence: Sentence, start: int, end: int, is_caption: bool) -> Thing | None:
    lists = thing_words()
    while end > start and word_class(sentence.words[end - 1]) != "noun":
        end -= 1
    if end == start:
        return None
    head = singular(sentence.words[end - 1])
    kind = _kind_of(sentence, end - 1, is_caption)
    if not kind:
        return None
    first = end - 1
    while first > start and end - first < _MAX_WORDS and _may_modify(sentence, first - 1):
        first -= 1
    while first < end - 1 and _is_feeling(sentence.words[first]):
        first += 1
    if (
        kind in ("food", "drink")
        and sentence.words[first].endswith("ing")
        and (
            sentence.words[first:end] != ("drinking", "water")
            and sentence.words[first] != "sparkling"
        )
    ):
        return None  # "we sat drinking wine"
    if (
        sentence.word(start - 1) in _INDEFINITE
        and singular(sentence.words[end - 1]) != (sentence.words[end - 1])
    ):
        return None  # "a pavilion shelters tables"
    if word_class(sentence.words[first]) == "participle" and sentence.word(first - 1)[-2:] == "ly":
        first -= 1  # "freshly baked bread"
    words = sentence.words[first:end]
    if head not in lists["solo"] and not any(_tells_apart(w, is_caption) for w in words[:-1]):
        return None
    if any(sentence.negated[first:end]) or any(not word.isascii() for word in words):
        return None
    if not is_caption and any(_is_name(sentence, position) for position in range(first, end)):
        return None
    if is_caption and _is_title(sentence, first, end):
        return None
    return Thing(words, first, end, kind, _article(sentence.word(start - 1), kind, words))


def _kind_of(sentence: Sentence, position: int, is_caption: bool) -> str:
    lists = thing_words()
    head = singular(sentence.words[position])
    kinds = ("food", "drink", "thing", "service", "view") + (("scene",) if is_caption else ())
    kind = next((name for name in kinds if head in lists[name]), "")
    before = sentence.word(position - 1)
    if not kind and head in lists["parts"] and before and word_class(before) == "noun":
        return "thing"
    return kind


def _may_modify(sentence: Sentence, position: int) -> bool:
    word = sentence.words[position]
    lists = thing_words()
    if (
        word in lists["banned"]
        or word.endswith("est")
        or singular(word) in lists["people"]
        or not is_known(word)
    ):
        return False
    if word_class(word) == "noun" and singular(word) != word:
        return False  # "red rocks frame the view": a verb that looks like a noun
    opinion = opinion_of(word)
    if opinion is not None and (not opinion.kept or not opinion.is_positive):
        return False
    return singular(word) not in opinion_words().rejected and len(word) > 2


def _tells_apart(word: str, is_caption: bool) -> bool:
    """Whether the word in front makes the thing a particular one, whatever anybody feels of it."""
    lists = thing_words()
    if word in lists["weak"] or (word in lists["colors"] and not is_caption):
        return False
    return not _is_feeling(word)


def _is_feeling(word: str) -> bool:
    return opinion_of(word) is not None and word not in opinion_words().neutral


def _is_name(sentence: Sentence, position: int) -> bool:
    raw = sentence.raw[position]
    if not raw[0].isupper():
        return False
    opens = position == 0 or sentence.raw[position - 1] in ".!?:"
    return not opens


def _is_title(sentence: Sentence, start: int, end: int) -> bool:
    """Two or more capitals in a row inside a caption: "Historic Mill Pond" is a name."""
    capitals = [
        sentence.raw[p][0].isupper()
        for p in range(max(0, start - 1), end + 1)
        if p < len(sentence.raw)
    ]
    return sum(capitals) > 1


def _article(before: str, kind: str, words: tuple[str, ...]) -> str:
    """The indefinite article, unless the noun is plural or a mass: "outdoor seating"."""
    head = words[-1]
    if singular(head) != head or (head.endswith("s") and not head.endswith("ss")):
        return ""
    is_mass = head in thing_words()["mass"]
    if is_mass and (kind in ("food", "drink") or before not in _INDEFINITE):
        return ""
    return article(" ".join(words))
