"""What a run of nouns names: its head and modifier, or one concrete thing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from udfs.english.inflection import article, singular
from udfs.english.lexicon import is_known, word_class
from udfs.english.opinions.words import opinion_of, opinion_words
from udfs.english.parse import Sentence
from udfs.english.word_lists import load

Noun = tuple[str, str]  # head and modifier, each '' when there is none

DETERMINERS = frozenset(("the", "their", "its", "our", "this", "that", "these", "those"))
_INDEFINITE = frozenset(("a", "an", "one", "each", "every"))
_OPENS_PARTICIPLE = DETERMINERS | _INDEFINITE | {"with", "of", "had", "have", "has"}
_KINDS = ("food", "drink", "thing", "service", "view", "collection")
_MAX_NOUNS = 3
_MAX_WORDS = 4


@lru_cache(maxsize=1)
def thing_words() -> dict[str, frozenset[str]]:
    """The lists of `words/things.yml`."""
    return {name: frozenset(words.split()) for name, words in load("things.yml").items()}


# -- head and modifier -----------------------------------------------------------------------------


def head_noun(sentence: Sentence, start: int, end: int) -> Noun:
    """Head and modifier of the run, each by its one word; empty for a name or junk."""
    lists = opinion_words()
    if end - start > _MAX_NOUNS or end <= start:
        return "", ""
    if any(sentence.is_name(position) for position in range(start, end)):
        return "", ""
    head = singular(sentence.words[end - 1])
    modifier = singular(sentence.words[end - 2]) if end - start > 1 else ""
    whole = lists.synonyms.get(f"{modifier}-{head}")
    if whole:
        return whole, ""
    if head in lists.containers or len(head) < 3 or not head.isascii():
        return "", ""
    if head in lists.rejected and head not in lists.places | lists.persons:
        return "", ""
    if head in lists.unasked:
        return "", ""
    if head in lists.collections:
        return "selection", modifier
    if modifier in lists.rejected | lists.places or not is_known(modifier):
        modifier = ""
    if end - start == 1 and sentence.word(start - 1) in lists.neutral:
        modifier = sentence.word(start - 1)
    head = lists.synonyms.get(head, head)
    if head in ("staff", "service", "host"):
        modifier = ""  # "hotel staff", "bar service": the same feature everywhere
    return (head, modifier) if is_known(head) else ("", "")


# -- concrete things -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Thing:
    """A concrete thing: its words as they stand in the text, where, and its kind.

    The run of words opens at `opens`; the words of the thing stand from `start` to `end`. `kind` is
    a list of `words/things.yml`, or 'other'. `is_particular` says that a question can ask for the
    thing by itself: a brick fireplace, but no table.
    """

    words: tuple[str, ...]
    opens: int
    start: int
    end: int
    kind: str
    article: str
    is_particular: bool

    @property
    def is_plain(self) -> bool:
        """Whether the thing is a plain one with no word in front: "table"."""
        return len(self.words) == 1 and singular(self.words[0]) in thing_words()["plain"]

    @property
    def text(self) -> str:
        """ "a brick fireplace"."""
        return f"{self.article} {' '.join(self.words)}".strip()

    @property
    def weight(self) -> float:
        """How specific the thing is: a noun, participle or hyphen counts more than an adjective."""
        precise = sum("-" in w or word_class(w) in ("noun", "participle") for w in self.words[:-1])
        served = self.kind in ("food", "drink")
        return len(self.words) - 1 + 0.5 * precise + 0.5 * served


def things(sentence: Sentence) -> Iterator[Thing]:
    """The concrete things that the sentence names, in order, without names and denied things."""
    position = 0
    while position < len(sentence.words):
        end = position
        while _may_stand_in(sentence, end):
            end += 1
        thing = _thing(sentence, position, end) if end > position else None
        if thing is not None:
            yield thing
        position = max(end, position + 1)


def is_particular(words: tuple[str, ...], is_caption: bool) -> bool:
    """Whether the words name a thing that needs no more words, or tell it apart from its like.

    Two weak words in front tell a thing apart as well as a precise one.
    """
    lists = thing_words()
    if singular(words[-1]) in lists["solo"]:
        return True
    facts = [word for word in words[:-1] if not _is_feeling(word)]
    weak = lists["weak"] if is_caption else lists["weak"] | lists["colors"]
    return len(facts) > 1 or any(word not in weak for word in facts)


def _may_stand_in(sentence: Sentence, position: int) -> bool:
    word = sentence.word(position)
    if not word or not word[0].isalpha() or word.endswith("'s"):
        return False
    if word_class(word) == "participle":
        return _participle_fits(sentence, position)
    return sentence.kind(position) in ("noun", "adjective")


def _participle_fits(sentence: Sentence, position: int) -> bool:
    """ "the grilled salmon", "with rocking chairs"; not "we shared pizza", "sitting chairs"."""
    word = sentence.word(position)
    if "-" in word:
        return True
    if word.endswith("ing"):
        return word in thing_words()["gerunds"]
    before = sentence.word(position - 1)
    if before in _OPENS_PARTICIPLE or (sentence.is_caption and before in thing_words()["joins"]):
        return True
    if not before or not before[0].isalpha():
        return sentence.is_caption
    return word_class(before) == "adjective"


def _thing(sentence: Sentence, start: int, end: int) -> Thing | None:
    """The thing that the run of words names, without the feelings about it."""
    while end > start and word_class(sentence.words[end - 1]) != "noun":
        end -= 1
    if end == start:
        return None
    first = _first_word(sentence, start, end)
    words = sentence.words[first:end]
    if any(_is_fault(word, words[-1]) for word in sentence.words[start:end]):
        return None
    kind = _kind_of(sentence, end - 1)
    before = sentence.word(start - 1)
    if not kind or not _reads_as_a_noun(words, kind, before):
        return None
    if any(sentence.negated[first:end]) or not all(word.isascii() for word in words):
        return None
    if any(_is_in_a_name(sentence, position) for position in range(first, end)):
        return None
    may_be_asked = kind not in ("other", "collection") and is_particular(words, sentence.is_caption)
    return Thing(words, start, first, end, kind, _article(before, kind, words), may_be_asked)


def _first_word(sentence: Sentence, start: int, end: int) -> int:
    """Where the words that the thing keeps begin."""
    first = end - 1
    while first > start and end - first < _MAX_WORDS and _may_modify(sentence, first - 1):
        first -= 1
    while first < end - 1 and _is_feeling(sentence.words[first]):
        first += 1
    if word_class(sentence.words[first]) == "participle" and sentence.word(first - 1)[-2:] == "ly":
        first -= 1  # "freshly baked bread"
    return first


def _kind_of(sentence: Sentence, position: int) -> str:
    lists = thing_words()
    head = singular(sentence.words[position])
    before = sentence.word(position - 1)
    for kind in (*_KINDS, "scene") if sentence.is_caption else _KINDS:
        if head in lists[kind]:
            return kind
    if head in lists["parts"] and before and word_class(before) == "noun":
        return "thing"
    is_plain = head not in lists["banned"] | lists["people"] | opinion_words().rejected
    return "other" if is_plain and is_known(head) and not head.endswith("ing") else ""


def _reads_as_a_noun(words: tuple[str, ...], kind: str, before: str) -> bool:
    """False for "we sat drinking wine" and "a pavilion shelters tables"."""
    if before in _INDEFINITE and singular(words[-1]) != words[-1]:
        return False
    is_drinking = kind in ("food", "drink") and words[0].endswith("ing") and len(words) > 1
    return not is_drinking or words == ("drinking", "water") or words[0] == "sparkling"


def _may_modify(sentence: Sentence, position: int) -> bool:
    word = sentence.words[position]
    lists = thing_words()
    one = singular(word)
    if word in lists["banned"] or word.endswith("est") or one in lists["people"] or len(word) < 3:
        return False
    if not is_known(word) and one not in lists["thing"]:
        return False
    if word_class(word) == "noun" and one != word:
        return False  # "red rocks frame the view": a verb that looks like a noun
    opinion = opinion_of(word)
    if opinion is not None and (not opinion.kept or not opinion.is_positive):
        return False
    return one not in opinion_words().rejected


def _is_feeling(word: str) -> bool:
    return opinion_of(word) is not None and word not in opinion_words().neutral


def _is_fault(word: str, head: str) -> bool:
    """Whether the word says something bad of the thing: "flat tire", "store-bought bread"."""
    opinion = opinion_of(word, singular(head))
    return opinion is not None and not opinion.is_positive


def _is_in_a_name(sentence: Sentence, position: int) -> bool:
    """A capital inside a sentence; in a caption two in a row, as its first word is often big."""
    if not sentence.raw[position][0].isupper():
        return False
    opens = position == 0 or sentence.raw[position - 1] in ".!?:"
    neighbours = (position - 1, position + 1)
    in_name = any(
        sentence.raw[near][0].isupper() for near in neighbours if 0 <= near < len(sentence.raw)
    )
    return in_name if sentence.is_caption else not opens


def _article(before: str, kind: str, words: tuple[str, ...]) -> str:
    """The indefinite article, unless the noun is plural or a mass: "outdoor seating"."""
    head = words[-1]
    if singular(head) != head or (head.endswith("s") and not head.endswith("ss")):
        return ""
    is_mass = head in thing_words()["mass"]
    if is_mass and (kind in ("food", "drink") or before not in _INDEFINITE):
        return ""
    return article(" ".join(words))
