"""The grammar behind `write_question`: one noun for the categories, verb phrases for the rest.

A phrase completes "a place that ...". Some are pulled before the verb ("a bakery in Fairhaven"),
those of one kind are merged ("has a patio and free Wi-Fi"), and a frame of
`words/frames.yml` holds them. Every choice comes from the draws of the spec.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from udfs.english.inflection import article, infinitive
from udfs.english.word_lists import load
from udfs.rules.writer.nouns import DEFAULT_NOUN, noun_phrase, plural_phrase

_FORWARD = ("in", "within", "rated", "with")
_OWN_AND = re.compile(r" and |,| who | but ")
_STANDS_ALONE = ("has no ", "has photos ", "is not ", "is a ", "is an ", "is the ", "is at ")
_MAX_MERGED = 5
_PLURAL = {"is": "are"}


def write_question(spec: str) -> str:
    """A question of one or two sentences for a spec in JSON.

    The spec holds "categories", "field_phrases", "source_phrases", five "draws" in [0, 1) and
    perhaps "noun", the word for a record.
    Raises ValueError for a spec without draws, or with nothing to say.
    """
    parts: dict[str, Any] = json.loads(spec)
    draws = [float(draw) for draw in parts["draws"]]
    fields, sources = list(parts["field_phrases"]), list(parts["source_phrases"])
    if len(draws) < 5 or not (fields or sources or parts["categories"]):
        raise ValueError("a question needs five draws and something to ask for")

    noun, rest = noun_phrase(parts["categories"], parts.get("noun", DEFAULT_NOUN))
    if draws[4] >= 0.5:
        fields, sources = fields[::-1], sources[::-1]
    phrases = _in_order(fields, sources, draws[0])
    inner, phrases = _pull_forward(phrases, draws[1])
    noun = " ".join(part for part in (noun, rest, inner) if part)
    return _fill(noun, phrases, draws)


# -- the requirements ----------------------------------------------------------------------------


def _in_order(fields: list[str], sources: list[str], draw: float) -> list[str]:
    if draw < 0.5:
        return fields + sources
    if draw < 0.8:
        return sources + fields
    return fields[:1] + sources + fields[1:]


def _pull_forward(phrases: list[str], draw: float) -> tuple[str, list[str]]:
    """The phrases between noun and verb ("in Fairhaven with free Wi-Fi"), and the other phrases.

    At most two phrases go forward, never all; a distance goes alone, for what follows it would
    seem to speak of the reference.
    """
    inner: dict[str, str] = {}
    for phrase in phrases if draw >= 0.25 else []:
        short = _short_form(phrase, allow_with=draw >= 0.5)
        opener = short.split(" ")[0]
        alone = "within" in (opener, *inner) and inner
        if short and opener not in inner and len(inner) < min(2, len(phrases) - 1) and not alone:
            inner[opener] = phrase
    forward = [_short_form(inner[opener], True) for opener in _FORWARD if opener in inner]
    return " ".join(forward), [phrase for phrase in phrases if phrase not in inner.values()]


def _short_form(phrase: str, allow_with: bool) -> str:
    verb, _, rest = phrase.partition(" ")
    if verb == "is" and rest.split(" ")[0] in _FORWARD:
        return rest
    if verb == "has" and allow_with and not rest.startswith(("no ", "photos ")):
        return f"with {rest}"
    return ""


def _merge(phrases: Sequence[str]) -> list[str]:
    """Short phrases of one verb side by side become one: "has a patio and a TV"."""
    merged: list[str] = []
    for phrase in phrases:
        verb, _, rest = phrase.partition(" ")
        if merged and merged[-1].startswith(f"{verb} ") and _merges(merged[-1]) and _merges(phrase):
            merged[-1] = f"{merged[-1]} and {rest}"
        else:
            merged.append(phrase)
    return merged


def _merges(phrase: str) -> bool:
    verb, _, rest = phrase.partition(" ")
    if verb not in ("is", "has", "offers", "serves") or phrase.startswith(_STANDS_ALONE):
        return False
    return len(rest.split()) <= _MAX_MERGED and not _OWN_AND.search(phrase)


def _joined(phrases: Sequence[str], opener: str = "") -> str:
    """ "that takes cards and is quiet"; "that" again where a phrase has an "and" of its own."""
    texts = [f"{opener}{phrase}" for phrase in phrases[:1]]
    tangled = any(_OWN_AND.search(phrase) for phrase in phrases)
    again = opener if tangled else ""
    texts += [f"{again}{phrase}" for phrase in phrases[1:]]
    if len(texts) < 2:
        return "".join(texts)
    if tangled:
        return ", ".join(texts[:-1]) + f", and {texts[-1]}"
    return ", ".join(texts[:-1]) + f" and {texts[-1]}"


def _base_form(phrase: str) -> str:
    """ "takes reservations" -> "take reservations", "does not take" -> "not take"."""
    verb, _, rest = phrase.partition(" ")
    if verb == "does" and rest.startswith("not "):
        return rest
    return f"{infinitive(verb)} {rest}".strip()


def _plural_form(phrase: str) -> str:
    verb, _, rest = phrase.partition(" ")
    return re.sub(r"\bits\b", "their", f"{_PLURAL.get(verb, infinitive(verb))} {rest}").strip()


# -- the sentence --------------------------------------------------------------------------------


def _fill(noun: str, phrases: list[str], draws: Sequence[float]) -> str:
    frames = load("frames.yml")
    choices = list(frames["frames"])
    alone = any(" I am" in phrase for phrase in phrases)
    if not alone:
        choices += frames["with_company"]
    merged = _merge(phrases)
    split = 1 + int(draws[3] * (len(phrases) - 1)) if len(phrases) > 1 else 1
    choices = [c for c in choices if len(phrases) > 1 or not re.search(r"\{\w+[12]\}", c)]
    if any("nearest" in phrase for phrase in phrases):
        choices = [c for c in choices if "{nouns}" not in c]
    frame = choices[int(draws[2] * len(choices))]
    first, second = _merge(phrases[:split]), _merge(phrases[split:])
    question = frame.format(
        noun=noun,
        a_noun=f"{article(noun)} {noun}",
        nouns=plural_phrase(noun),
        that=_joined(merged, "that "),
        those=_joined([_plural_form(p) for p in merged], "that "),
        finite=_joined(merged),
        base=_joined([_base_form(p) for p in merged]),
        that1=_joined(first, "that "),
        those1=_joined([_plural_form(p) for p in first], "that "),
        finite2=_joined(second),
        base2=_joined([_base_form(p) for p in second]),
    )
    question = re.sub(r"\balso (is|are|be) ", r"\1 also ", question)
    return question[0].upper() + question[1:]
