"""phrase_field: how a field and a value read in a question, where nobody has worded them.

A phrase completes "a place that ...": "has a fire pit", "allows dogs", "has a length of at least
5 km". It is derived from the words of the field's name alone, so it can be stiff, never cryptic.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

from udfs.english.inflection import article, infinitive, singular
from udfs.english.lexicon import word_class
from udfs.english.word_lists import load

_ADJECTIVE_ENDS = ("friendly", "accessible", "free", "owned", "only", "certified", "operated")
_BOUNDS = frozenset(["minimum", "maximum", "min", "max", "average", "mean", "median", "total"])
_THIRD_PERSON = {"have": "has", "be": "is", "carry": "carries"}
_OF_ONE = frozenset(["requires", "includes", "needs", "provides"])
_IS = frozenset(["is", "are", "was"])
_NAME_OF_ITSELF = re.compile(r"^attribute_|__\d+$")


class Phrases(NamedTuple):
    """A verb phrase in the third person, and its negation."""

    phrase: str
    negation: str


def phrase_field(field: str, parent: str, operator: str, value: str) -> Phrases:
    """The phrase for a field's value and its negation.

    parent: the field's name without its leaf, for a nested attribute (`views` of `views_lake`),
    else empty. operator: `=`, `>=` or `<=`; what the latter two compare is a number.
    """
    name = _words(_NAME_OF_ITSELF.sub("", field))
    outer = _words(parent)
    leaf = name[len(outer) :] if outer and name[: len(outer)] == outer else []
    said = " ".join(_spelled(word) for word in value.replace("_", " ").split())
    if not name:
        return _having(f"{said} as its value")
    if operator != "=":
        return _bound(name, operator, said)
    if value in ("true", "yes"):
        return _nested(outer, leaf) if leaf else _flat(name)
    if value in ("false", "no", "none"):
        phrases = _nested(outer, leaf) if leaf else _flat(name)
        return Phrases(phrases.negation, phrases.phrase)
    return _value(name, said)


def negate(phrase: str) -> str:
    """The opposite of a verb phrase: "has a pool" -> "does not have a pool"."""
    verb, _, rest = phrase.partition(" ")
    if verb in _IS or verb == "can":
        return f"{verb}not {rest}" if verb == "can" else f"{verb} not {rest}"
    if verb in ("cannot", "does") and (verb == "cannot" or rest.startswith("not ")):
        return f"can {rest}" if verb == "cannot" else _third_person(rest.removeprefix("not "))
    return f"does not {infinitive(verb)} {rest}".strip()


# Phrases for a field that is true or false.


def _flat(name: list[str]) -> Phrases:
    lists = _lists()
    verb = name[0]
    if verb == "has" and len(name) > 1:
        return _flat(name[1:]) if name[1] == "no" else _having(_noun(name[1:]))
    if verb == "no" and len(name) > 1:
        return Phrases(f"has no {_text(name[1:])}", f"has {_noun(name[1:])}")
    if verb == "can" and len(name) > 1:
        return Phrases(*(f"is {a} place where you can {_text(name[1:])}" for a in ("a", "no")))
    if verb in _OF_ONE and len(name) > 1:
        return _doing(verb, _noun(name[1:]))
    if verb in lists["verbs"] or (verb in lists["counting"] and len(name) > 1):
        return _doing(verb, _text(name[1:]))
    if len(name) > 1 and (verb in _IS or verb == "open"):
        return _being(_text(name[1:] if verb in _IS else name))
    for size in (2, 1):
        ending = lists["endings"].get(" ".join(name[-size:]))
        if ending and len(name) > size:
            rest = name[:-size]
            if ending == "has":
                return _having(_noun(rest))
            return _doing(ending, _noun(rest) if ending in _OF_ONE else _text(rest))
    if name[-2:] == ["on", "site"] and len(name) > 2:
        return _having(f"{_noun(name[:-2])} on site")
    if name[-1] == "only" and name[0] != "by" and len(name) > 1:
        return _being(f"for {_text(name)}")
    if _is_adjective(name):
        return _being(_text(name))
    return _having(_noun(name))


def _is_adjective(name: list[str]) -> bool:
    if len(name) == 1:
        is_participle = word_class(name[0]) == "participle" and not name[0].endswith("ing")
        return is_participle or word_class(name[0]) == "adjective"
    if name[0] == "by":
        return True
    is_open = word_class(name[0]) in ("adjective", "participle") or name[0] in ("good", "open")
    if is_open and name[1] in _lists()["prepositions"]:
        return True
    return name[-1] in _ADJECTIVE_ENDS or (
        word_class(name[-1]) == "participle" and name[-1].endswith("ed")
    )


def _nested(outer: list[str], leaf: list[str]) -> Phrases:
    """A leaf under a heading: "offers swimming among its activities", "has a lake view"."""
    lists = _lists()
    if outer[-1] in lists["prepositions"]:
        return _flat([*outer, *leaf])
    if outer[0] in lists["verbs"] and len(outer) > 1:
        return _doing(outer[0], _text([*outer[1:], *leaf]))
    if singular(outer[-1]) != outer[-1]:
        return _having(f"{_text(leaf)} among its {_text(outer)}")
    if leaf[0] == "no":
        rest = _text(leaf[1:] or outer)
        return Phrases(f"has no {rest}", f"has {rest}")
    return _having(_noun([*leaf, *outer]))


# Phrases for a field with another value.


def _value(name: list[str], said: str) -> Phrases:
    words = said.split()
    if len(name) > 1 and name[-1] == "by":
        return _being(f"{_text(name)} {said}")
    is_short = len(words) <= 2 and said[:1].isalpha() and not said.endswith("s")
    is_noun = word_class(name[-1]) == "noun" or name[-1] in _lists()["mass"]
    if is_short and is_noun and _is_latin(said + name[-1]):
        thing = _noun([*words, *name])
        return Phrases(f"has {thing}", f"does not have {thing}")
    return _having(f"{said} as its {_text(name)}")


def _bound(name: list[str], operator: str, said: str) -> Phrases:
    lists = _lists()
    at_least = operator == ">="
    holds, fails = ("at least", "less than") if at_least else ("at most", "more than")
    if name[:2] == ["number", "of"]:
        name = name[2:]
    if name[0] in lists["counting"]:
        rest = f" {_text(name[1:])}" if name[1:] else ""
        few = "fewer than" if at_least else fails
        return Phrases(f"{name[0]} {holds} {said}{rest}", f"{name[0]} {few} {said}{rest}")
    unit = ""
    if len(name) > 1 and name[-1] in lists["units"]:
        unit = f" {lists['units_spelled'].get(name[-1], name[-1])}"
        name = name[:-1]
    elif singular(name[-1]) != name[-1] and name[0] not in _BOUNDS:
        if at_least and said == "1":
            one = _text([*name[:-1], singular(name[-1])])
            return Phrases(f"has at least 1 {one}", f"has no {_text(name)}")
        fails = "fewer than" if at_least else fails
        return Phrases(f"has {holds} {said} {_text(name)}", f"has {fails} {said} {_text(name)}")
    is_plural = singular(name[-1]) != name[-1]
    noun = _text(name) if is_plural else f"{article(_text(name))} {_text(name)}"
    return Phrases(f"has {noun} of {holds} {said}{unit}", f"has {noun} of {fails} {said}{unit}")


# Words.


def _having(thing: str) -> Phrases:
    first, _, rest = thing.partition(" ")
    bare = rest if first in ("a", "an") else thing
    if " as its " in thing or " among its " in thing:
        return Phrases(f"has {thing}", f"does not have {thing}")
    return Phrases(f"has {thing}", f"has no {bare}")


def _being(rest: str) -> Phrases:
    return Phrases(f"is {rest}", f"is not {rest}")


def _doing(verb: str, rest: str) -> Phrases:
    return Phrases(f"{verb} {rest}".strip(), f"does not {infinitive(verb)} {rest}".strip())


def _noun(words: list[str]) -> str:
    """The words with an article, unless they name something in the plural or without a shape."""
    last = words[-1]
    is_mass = last in _lists()["mass"] or last.endswith("ing") or " ".join(words) in _things()
    is_plural = singular(last) != last
    if is_mass or last in _things() or is_plural or not _is_latin(last):
        return _text(words)
    return f"{article(_text(words))} {_text(words)}"


def _is_latin(text: str) -> bool:
    """Whether English articles can stand before the word."""
    return all(character < "\u0250" for character in text)


def _text(words: list[str]) -> str:
    return " ".join(_spelled(word) for word in words)


def _spelled(word: str) -> str:
    spelled: str = _lists()["spellings"].get(word, word)
    return spelled


def _words(name: str) -> list[str]:
    return [word for word in name.split("_") if word and name != "unnamed"]


def _third_person(rest: str) -> str:
    verb, _, more = rest.partition(" ")
    return f"{_THIRD_PERSON.get(verb, f'{verb}s')} {more}".strip()


@lru_cache(maxsize=1)
def _lists() -> dict[str, Any]:
    lists: dict[str, Any] = load("fields.yml")
    sets = ("verbs", "counting", "prepositions", "units", "mass")
    return lists | {name: frozenset(lists[name].split()) for name in sets}


@lru_cache(maxsize=1)
def _things() -> frozenset[str]:
    return frozenset(load("things.yml")["mass"].split())
