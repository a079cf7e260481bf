"""Word classes and plurals for the rule-based roles: what kind of word is this, alone?

The classes are the most frequent ones of Brill's lexicon, which the textblob package carries; a
word it does not know is a noun, unless its ending says otherwise.
"""

from __future__ import annotations

import importlib.util
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from udfs.warehouse.errors import UserError

LANGUAGE = Path(__file__).parent / "words"

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
    spec = importlib.util.find_spec("textblob")
    if spec is None or not spec.submodule_search_locations:
        raise UserError("The package textblob is missing; run `make install` to set up the build")
    path = Path(spec.submodule_search_locations[0]) / "en" / "en-lexicon.txt"
    classes: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        word, _, tag = line.partition(" ")
        if word != word.lower() or not tag or line.startswith(";"):
            continue
        classes[word] = _class_of_tag(tag)
    corrections = load("words.yml")["classes"]
    classes.update((f"{word}s", "noun") for word in corrections["noun"].split())
    for name, words in corrections.items():
        classes.update(dict.fromkeys(words.split(), name))
    return classes


def _class_of_tag(tag: str) -> str:
    if tag.startswith("NNP"):
        return "name"
    if tag in ("VBN", "VBG"):
        return "participle"
    return _CLASSES.get(tag[:2], "function")


def word_set(words: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(words.split())


@lru_cache(maxsize=16)
def load(name: str) -> Any:
    """The content of a YAML file of the language folder, read once: do not change it."""
    return yaml.safe_load((LANGUAGE / name).read_text(encoding="utf-8"))


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


@lru_cache(maxsize=65536)
def singular(word: str) -> str:
    """The singular of a lower-case noun: cookies -> cookie, glass -> glass, staff -> staff."""
    irregular = load_irregular()
    if word in irregular:
        return irregular[word]
    if not word.endswith("s") or len(word) < 4 or word.endswith(("ss", "us", "is", "'s", "ous")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zzes")):
        return word[:-2]
    return word[:-1]


@lru_cache(maxsize=1)
def load_irregular() -> dict[str, str]:
    return {str(key): str(value) for key, value in load("words.yml")["singulars"].items()}


def article(phrase: str) -> str:
    """ "a" or "an", by the sound that the phrase begins with."""
    words = load("words.yml")
    first = phrase.split()[0].lower()
    if any(first.startswith(stem) for stem in words["an_before"].split()):
        return "an"
    if any(first.startswith(stem) for stem in words["a_before"].split()):
        return "a"
    if len(first) > 1 and phrase.split()[0].isupper():
        return "an" if first[0] in "aefhilmnorsx" else "a"
    return "an" if first[0] in "aeiou8" else "a"
