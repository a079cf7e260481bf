"""The plural and singular of a noun, the article before it, and the plain form of a verb."""

from __future__ import annotations

from functools import lru_cache

from udfs.english.word_lists import load

_INFINITIVES = {"is": "be", "has": "have", "does": "do", "goes": "go"}


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


def plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    return noun + "s"


def infinitive(verb: str) -> str:
    """The plain form of a verb in the third person: takes -> take, carries -> carry, is -> be."""
    if verb in _INFINITIVES:
        return _INFINITIVES[verb]
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    if verb.endswith(("ches", "shes", "sses", "xes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") else verb
