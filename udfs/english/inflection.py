"""The plural and singular of a noun, the article before it, and the plain form of a verb.

The package inflect knows English nouns; `words/inflections.yml` lists where it is wrong. A call of
it takes a tenth of a millisecond, so each word is asked once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import inflect

from udfs.english.word_lists import load

_INFINITIVES = {"is": "be", "has": "have", "does": "do", "goes": "go"}
# Endings of a singular, from which inflect would cut the s: "glass", "cactus", "basis", "famous".
_SINGULAR_ENDS = ("ss", "us", "is", "'s")
_SHORTEST_PLURAL = 4  # letters of a word in -s, so that "gas", "yes" and "rvs" stay


@lru_cache(maxsize=65536)
def singular(word: str) -> str:
    """The singular of a lower-case noun: cookies -> cookie, glass -> glass, staff -> staff."""
    front, hyphen, last = word.rpartition("-")
    exceptions = _exceptions()["singulars"]
    if last in exceptions:
        return front + hyphen + exceptions[last]
    is_short = last.endswith("s") and len(word) < _SHORTEST_PLURAL
    if not last or is_short or last.endswith(_SINGULAR_ENDS):
        return word
    return front + hyphen + (_engine().singular_noun(last) or last)


@lru_cache(maxsize=65536)
def plural(noun: str) -> str:
    """The plural of a noun, or of the last word of several; a plural stays as it is."""
    front, space, last = noun.rpartition(" ")
    if singular(last) != last:
        return noun
    exceptions = _exceptions()
    if last in exceptions["plural_only"]:
        return noun
    if last.endswith("o") and last not in exceptions["plural_in_es"]:
        return f"{noun}s"  # inflect writes -oes after every o that it does not know: bistroes
    return front + space + str(_engine().plural_noun(last))


@lru_cache(maxsize=65536)
def article(phrase: str) -> str:
    """ "a" or "an", by the sound that the phrase begins with."""
    return _engine().a(phrase.split()[0]).partition(" ")[0]


def infinitive(verb: str) -> str:
    """The plain form of a verb in the third person: takes -> take, carries -> carry, is -> be."""
    if verb in _INFINITIVES:
        return _INFINITIVES[verb]
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    if verb.endswith(("ches", "shes", "sses", "xes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") else verb


@lru_cache(maxsize=1)
def _engine() -> Any:
    engine = inflect.engine()
    for pattern in _exceptions()["an_before"]:
        engine.defan(pattern)
    for pattern in _exceptions()["a_before"]:
        engine.defa(pattern)
    return engine


@lru_cache(maxsize=1)
def _exceptions() -> dict[str, Any]:
    raw = load("inflections.yml")
    lists = {name: raw[name].split() for name in raw if name != "singulars"}
    same = dict.fromkeys(lists["plural_only"] + lists["uncut"])
    singulars = {word: word for word in same} | raw["singulars"]
    return lists | {"singulars": singulars}
