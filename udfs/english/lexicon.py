"""Word classes for the rule-based roles: what kind of word is this, alone?

The classes are the most frequent ones of Brill's lexicon, which the textblob package carries; a
word it does not know is a noun, unless its ending says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from importlib.metadata import distribution
from pathlib import Path

from udfs.english.inflection import singular
from udfs.english.word_lists import load

_CLASSES = {
    "NN": "noun",
    "JJ": "adjective",
    "RB": "adverb",
    "VB": "verb",
    "MD": "function",
    "CD": "number",
    "FW": "foreign",
    "UH": "function",
}
_ENDINGS = (
    ("ly", "adverb"),
    ("ing", "participle"),
    ("ed", "participle"),
    ("ous", "adjective"),
    ("ful", "adjective"),
    ("less", "adjective"),
    ("ish", "adjective"),
    ("able", "adjective"),
    ("ible", "adjective"),
)


@lru_cache(maxsize=1)
def _lexicon() -> dict[str, str]:
    """Lower-case word -> class. A capitalised entry counts only where no lower-case one exists."""
    classes: dict[str, str] = {}
    for line in _brill_lexicon().read_text(encoding="utf-8").splitlines():
        word, _, tag = line.partition(" ")
        if word != word.lower() or not tag or line.startswith(";"):
            continue
        classes[word] = _class_of_tag(tag)
    corrections = load("words.yml")["classes"]
    classes.update((f"{word}s", "noun") for word in corrections["noun"].split())
    for name, words in corrections.items():
        classes.update(dict.fromkeys(words.split(), name))
    return classes


def _brill_lexicon() -> Path:
    """The file in the package textblob, whose own import takes seconds. Raises
    PackageNotFoundError where `make install` did not run."""
    return Path(str(distribution("textblob").locate_file("textblob/en/en-lexicon.txt")))


def _class_of_tag(tag: str) -> str:
    if tag.startswith("NNP"):
        return "name"
    if tag in ("VBN", "VBG"):
        return "participle"
    return _CLASSES.get(tag[:2], "function")


@lru_cache(maxsize=65536)
def is_known(word: str) -> bool:
    """Whether the lexicon holds the lower-case word, its singular or a part between hyphens."""
    lexicon = _lexicon()
    if word in lexicon or singular(word) in lexicon:
        return True
    parts = word.split("-")
    return len(parts) > 1 and any(part in lexicon for part in parts)


@lru_cache(maxsize=65536)
def word_class(word: str) -> str:
    """One of noun, name, adjective, participle, verb, adverb, number, foreign, function."""
    lexicon = _lexicon()
    if word in lexicon:
        return lexicon[word]
    if word[0].isdigit():
        return "number"
    if "'" in word:
        return "function"
    if "-" in word:
        last = word.rsplit("-", 1)[1]
        kind = word_class(last) if last else "function"
        # "wood-fired", "dog-friendly", "book-lined"; but "check-in", "drive-through".
        return "adjective" if kind in ("adjective", "participle") else "noun"
    for ending, kind in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return kind
    return "noun"


def is_english(words: Iterable[str]) -> bool:
    """Whether most words are known English ones; a few foreign function words are enough for no."""
    letters = [word for word in words if word[0].isalpha()]
    classes = [word_class(word) for word in letters]
    foreign = classes.count("foreign") + sum(not word.isascii() for word in letters)
    known = sum(is_known(word) or "'" in word for word in letters)
    return foreign <= max(1, len(letters) // 12) and known >= 0.6 * len(letters)
