"""The noun that a question asks for, from the categories of a record, and its plural."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from udfs.english.inflection import plural, singular
from udfs.english.word_lists import load

DEFAULT_NOUN = "place"
# The words that may open what follows the noun: "bakery in Fairhaven", "park for stargazing".
_BEHIND = r"(.*?)(?= (?:in|within|rated|with|for|listed|of) |$)"


def noun_phrase(categories: Sequence[str], record: str = DEFAULT_NOUN) -> tuple[str, str]:
    """The noun for the categories and what follows it: ("Mexican cafe", "listed under Zoos").

    record: the word for a record. A collection that has its own is asked for by it, "place" gives
    way to the nouns of categories. A parent category goes without saying beside one of its kinds.
    """
    if record != DEFAULT_NOUN:
        return record, _listed_under(list(categories))
    lists = _categories()
    nouns: list[str] = []
    words: list[str] = []
    unknown: list[str] = []
    implied = {p for p, kinds in lists["kinds"].items() if any(c in kinds for c in categories)}
    if any(category in lists["cuisines"] for category in categories):
        implied.add("Restaurants")
    for category in categories:
        noun = _noun_of(category)
        if category in lists["cuisines"]:
            words.append(lists["cuisines"][category])
        elif category in implied and category in lists["parents"]:
            continue
        elif noun:
            nouns.append(noun)
        else:
            unknown.append(category)
    if words and not nouns:
        nouns = ["restaurant"]
    head = " and ".join(dict.fromkeys(nouns)) or record
    front = " ".join((" ".join(dict.fromkeys(words)), head)).strip()
    return front, _listed_under(unknown)


def _listed_under(categories: Sequence[str]) -> str:
    activities = [
        c.lower() for c in categories if c.replace(" ", "-") in _categories()["activities"]
    ]
    others = [c for c in categories if c.lower() not in activities]
    parts = [f"for {' and '.join(activities)}"] if activities else []
    parts += [f"listed under {' and '.join(others)}"] if others else []
    return " ".join(parts)


def _noun_of(category: str) -> str:
    """The noun for a record of the category; '' when there is no natural one."""
    lists = _categories()
    for kinds in lists["kinds"].values():
        if category in kinds:
            return str(kinds[category])
    if category in lists["parents"]:
        return str(lists["parents"][category])
    plain = category.replace(" ", "").replace("'", "").isalpha()
    is_kind = category.split()[-1].lower() in lists["kind_words"].split()
    return singular(category.lower()) if plain and is_kind else ""


def plural_phrase(noun: str) -> str:
    """The plural of a noun phrase; only the nouns before the first preposition change."""
    match = re.match(_BEHIND, noun)
    head = match.group(1) if match else noun
    parts = head.split(" and ") if _is_list(head) else [head]
    return " and ".join(plural(part) for part in parts) + noun[len(head) :]


def _is_list(head: str) -> bool:
    """Whether "and" joins two nouns, not words in front of one ("arts and crafts store")."""
    nouns = {noun for kinds in _categories()["kinds"].values() for noun in kinds.values()}
    parts = head.split(" and ")
    return len(parts) > 1 and head not in nouns and all(part in nouns for part in parts)


@lru_cache(maxsize=1)
def _categories() -> dict[str, Any]:
    lists: dict[str, Any] = load("categories.yml")
    return lists | {"activities": frozenset(lists["activities"].split())}
