"""Reads the word material of `words/` into typed rows."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from .wording import lines

WORDS = Path(__file__).parent / "words"
SPELLED = {"WiFi": "wifi", "Open24Hours": "open_24_hours"}

# kind tag -> probability, or -> share of each value
Chance = Mapping[str, Any]


@dataclass(frozen=True)
class Field:
    """One leaf of Yelp's attributes. `says` holds wordings by value, `denies` those for false."""

    name: str
    attribute: str
    leaf: str | None
    chance: Chance
    only_if: Mapping[str, list[str]]
    otherwise: str
    says: Mapping[str, list[str]]
    moods: Mapping[str, str]
    talk: float
    talk_false: float

    @property
    def is_boolean(self) -> bool:
        """Whether its values are true and false."""
        return "false" in self.says

    def key(self, value: str) -> str:
        """The truth key that a statement of this value is about."""
        return f"{self.name}=true" if self.is_boolean else f"{self.name}={value}"


@dataclass(frozen=True)
class Feature:
    """Something that people praise or complain of."""

    key: str
    feature: str
    is_positive: bool
    chance: Chance
    only_if: Mapping[str, list[str]]
    says: list[str]
    denies: list[str]


@dataclass(frozen=True)
class Thing:
    """Something that a photo can show."""

    key: str
    thing: str
    also: list[str]
    label: str
    chance: Chance
    only_if: Mapping[str, list[str]]
    where: list[str]
    draw: tuple[str, str, str]


@dataclass(frozen=True)
class Kind:
    """A kind of place."""

    key: str
    share: float
    tags: list[str]
    categories: list[str]
    extra: list[str]
    hours: str
    chain: str | None
    names: list[str]
    items: list[str]
    visits: list[str]


def field_name(attribute: str, leaf: str | None = None) -> str:
    """The flattened name: GoodForMeal, lunch -> good_for_meal_lunch."""
    boundary = r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
    name = SPELLED.get(attribute) or re.sub(boundary, "_", attribute).lower()
    return f"{name}_{leaf.replace('-', '_')}" if leaf else name


@cache
def read(name: str) -> Any:
    """The content of one word file."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load((WORDS / f"{name}.yml").read_text(encoding="utf-8"), Loader=loader)


@cache
def read_coverage() -> dict[str, float]:
    """Share of businesses that show the attribute, by attribute, in file order."""
    return {attribute: entry["coverage"] for attribute, entry in read("fields").items()}


@cache
def read_fields() -> list[Field]:
    """Every leaf of every attribute, in file order (a field may depend on earlier ones)."""
    fields = []
    for attribute, entry in read("fields").items():
        for leaf, own in entry.get("leaves", {None: {}}).items():
            merged = {**entry, **own}
            # The talk of a leaf multiplies that of its attribute.
            talk = entry.get("talk", 1.0) * (own.get("talk", 1.0) if leaf else 1.0)
            fields.append(_field(attribute, leaf, merged, talk))
    return fields


def _field(attribute: str, leaf: str | None, entry: Mapping[str, Any], talk: float) -> Field:
    mood = entry.get("mood")
    if "values" in entry:
        says = {value: lines(words["says"]) for value, words in entry["values"].items()}
        moods = {value: words["mood"] for value, words in entry["values"].items()}
    else:
        word = entry.get("word", "")
        says = {
            "true": [line.replace("<leaf>", word) for line in lines(entry["says"])],
            "false": [line.replace("<leaf>", word) for line in lines(entry["denies"])],
        }
        moods = {"true": mood or "glad", "false": mood or "annoyed"}
    return Field(
        name=field_name(attribute, leaf),
        attribute=attribute,
        leaf=leaf,
        chance=entry["chance"],
        only_if=entry.get("only_if", {}),
        otherwise=entry.get("otherwise", "false"),
        says=says,
        moods=moods,
        talk=talk,
        talk_false=talk * 0.3 * entry.get("talk_false", 1.0),
    )


@cache
def read_features() -> list[Feature]:
    """All features, in file order."""
    return [
        Feature(
            key=key,
            feature=entry["feature"],
            is_positive=entry.get("polarity", "positive") == "positive",
            chance=entry["chance"],
            only_if=entry.get("only_if", {}),
            says=lines(entry["says"]),
            denies=lines(entry["denies"]),
        )
        for key, entry in read("features").items()
    ]


@cache
def read_things() -> list[Thing]:
    """All visible things, in file order."""
    return [
        Thing(
            key=key,
            thing=entry["thing"],
            also=entry["also"].split("|"),
            label=entry["label"],
            chance=entry["chance"],
            only_if=entry.get("only_if", {}),
            where=entry.get("where", "").split("|"),
            draw=(entry["draw"][0], entry["draw"][1], entry["draw"][2]),
        )
        for key, entry in read("things").items()
    ]


@cache
def read_kinds() -> list[Kind]:
    """All kinds of places, in file order."""
    return [
        Kind(
            key=key,
            share=entry["share"],
            tags=entry["tags"],
            categories=entry["categories"],
            extra=entry["extra"],
            hours=entry["hours"],
            chain=entry.get("chain"),
            names=entry["names"],
            items=entry["items"],
            visits=entry["visits"],
        )
        for key, entry in read("kinds").items()
    ]
