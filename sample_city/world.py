"""Draws the truth: the places and people of the city, and all that is so about them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from . import words
from .draws import Draws, make_id
from .wording import expand

HOURS = {
    "early": (6, 15),
    "day": (8, 17),
    "shop": (10, 18),
    "evening": (11, 22),
    "night": (16, 25),
    "always": (0, 24),
}
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
METRES_PER_DEGREE = 111_195.0
BLOCK_METRES = 90.0
MEAN_QUALITY = 3.8


@dataclass
class Business:
    """A place, with its truth: a value for every field that applies, what it is praised for
    (features: True) or known for lacking (False), and what there is to see."""

    business_id: str
    kind: words.Kind
    tags: set[str]
    name: str
    address: str
    street: str
    hood: str
    city: str
    state: str
    postal_code: str
    latitude: float
    longitude: float
    categories: str
    hours: dict[str, str] | None
    is_open: int
    quality: float
    fields: dict[str, str] = field(default_factory=dict)
    features: dict[str, bool] = field(default_factory=dict)
    things: list[words.Thing] = field(default_factory=list)


@dataclass
class User:
    """A person, with the features that this person looks for and praises."""

    user_id: str
    name: str
    since: str
    activity: float
    kindness: float
    tastes: list[str]


def draw_businesses(seed: int, count: int) -> list[Business]:
    """All places, in the order of their ids."""
    taken: set[str] = set()
    businesses = []
    for number, kind in enumerate(_spread_kinds(count)):
        draws = Draws(seed, "business", number)
        business = _draw_business(make_id(seed, "business", number), kind, draws, taken)
        _draw_truth(business, draws)
        businesses.append(business)
    return sorted(businesses, key=lambda business: business.business_id)


def draw_users(seed: int, count: int) -> list[User]:
    """All people, in the order of their ids."""
    first_names = words.read("prose")["people"]["first"]
    # Tastes in what many places can offer come first, so that people with one taste meet.
    popularity = {
        feature.key: sum(feature.chance.values()) * (3.0 if "any" in feature.chance else 1.0)
        for feature in words.read_features()
        if feature.is_positive
    }
    users = []
    for number in range(count):
        draws = Draws(seed, "user", number)
        tastes: list[str] = []
        for _ in range(draws.integer(3, 5)):
            left = {key: weight for key, weight in popularity.items() if key not in tastes}
            tastes.append(draws.weighted(left))
        since = f"{draws.integer(2008, 2015)}-{draws.integer(1, 12):02}-{draws.integer(1, 28):02}"
        users.append(
            User(
                user_id=make_id(seed, "user", number),
                name=draws.pick(first_names),
                since=f"{since} {_time_of_day(draws)}",
                activity=math.exp(0.9 * draws.bell()),
                kindness=0.3 * draws.bell(),
                tastes=tastes,
            )
        )
    return sorted(users, key=lambda user: user.user_id)


def chance_of(chance: words.Chance, tags: set[str]) -> Any:
    """What the first fitting tag says, or None when none fits."""
    return next((chance[tag] for tag in chance if tag in tags), None)


def _spread_kinds(count: int) -> list[words.Kind]:
    """The kind of each place, in proportion to the shares (largest remainder)."""
    kinds = words.read_kinds()
    total = sum(kind.share for kind in kinds)
    exact = {kind.key: kind.share * count / total for kind in kinds}
    numbers = {key: int(part) for key, part in exact.items()}
    missing = count - sum(numbers.values())
    for key in sorted(exact, key=lambda key: (numbers[key] - exact[key], key))[:missing]:
        numbers[key] += 1
    return [kind for kind in kinds for _ in range(numbers[kind.key])]


def _draw_business(business_id: str, kind: words.Kind, draws: Draws, taken: set[str]) -> Business:
    municipalities = words.read("places")["municipalities"]
    hoods = [(town, hood) for town in municipalities for hood in town["neighbourhoods"]]
    shares = {place: hood["share"] for place, (_, hood) in enumerate(hoods)}
    town, hood = hoods[draws.weighted(shares)]
    tags = {"any", *kind.tags, *hood.get("tags", [])}
    if {"food", "harbor"} <= tags:
        tags.add("harbor_food")
    address, street, latitude, longitude = _draw_address(hood, draws)
    categories = kind.categories + draws.sample(kind.extra, min(2, 4 - len(kind.categories)))
    if draws.chance(0.35) and len(categories) > max(2, len(kind.categories)):
        categories.pop()
    return Business(
        business_id=business_id,
        kind=kind,
        tags=tags,
        name=_draw_name(kind, town["city"], draws, taken),
        address=address,
        street=street,
        hood=hood["name"],
        city=town["city"],
        state=town["state"],
        postal_code=draws.pick(town["postal_codes"]),
        latitude=latitude,
        longitude=longitude,
        categories=", ".join(draws.sample(categories, len(categories))),
        hours=_draw_hours(kind, draws),
        is_open=int(draws.chance(0.93)),
        quality=min(4.9, max(1.9, MEAN_QUALITY + 0.65 * draws.bell())),
    )


def _draw_name(kind: words.Kind, city: str, draws: Draws, taken: set[str]) -> str:
    if kind.chain and draws.chance(0.35):
        return kind.chain
    lists = {**words.read("prose")["lists"]}
    for attempt in range(100):
        name = expand(draws.pick(kind.names), draws, lists)
        parts = name.replace("'s", "").split()
        if name not in taken and len(set(parts) - {"&"}) == len([p for p in parts if p != "&"]):
            break
        # A name is given twice only in another town.
        if attempt > 60 and f"{name} of {city}" not in taken:
            name = f"{name} of {city}"
            break
    taken.add(name)
    return name


def _draw_address(hood: Mapping[str, Any], draws: Draws) -> tuple[str, str, float, float]:
    """A house on the street grid: address, street, latitude, longitude."""
    is_along = draws.chance(0.65)
    streets = hood["along"] if is_along else hood["across"]
    blocks = len(hood["across"] if is_along else hood["along"]) + 1
    # The first streets of a neighbourhood are its main streets.
    row = draws.weighted({row: 1.0 / (1 + row) for row in range(len(streets))})
    block, house = draws.integer(0, blocks - 1), draws.integer(1, 48)
    forward = (block + house / 50 - blocks / 2) * BLOCK_METRES
    sideways = (row - (len(streets) - 1) / 2) * BLOCK_METRES + (4 if house % 2 else -4)
    east, north = (forward, sideways) if is_along else (sideways, forward)
    turn = math.radians(hood["turn"])
    latitude, longitude = hood["centre"]
    north_turned = north * math.cos(turn) + east * math.sin(turn)
    east_turned = east * math.cos(turn) - north * math.sin(turn)
    return (
        f"{(block + 1) * 100 + house} {streets[row]}",
        streets[row],
        round(latitude + north_turned / METRES_PER_DEGREE, 7),
        round(longitude + east_turned / METRES_PER_DEGREE / math.cos(math.radians(latitude)), 7),
    )


def _draw_hours(kind: words.Kind, draws: Draws) -> dict[str, str] | None:
    if kind.hours == "none" or draws.chance(0.1):
        return None
    opens, closes = HOURS[kind.hours]
    if kind.hours != "always":
        opens, closes = opens + draws.integer(-1, 1), closes + draws.integer(-1, 1)
    hours = f"{opens % 24}:{draws.pick([0, 0, 30])}-{closes % 24}:{draws.pick([0, 0, 30])}"
    hours = "0:0-0:0" if kind.hours == "always" else hours
    closed = draws.pick([[], [], ["Monday"], ["Sunday"], ["Sunday", "Monday"], ["Tuesday"]])
    is_closed = closed if kind.hours != "always" else []
    return {day: hours for day in DAYS if day not in is_closed}


def _draw_truth(business: Business, draws: Draws) -> None:
    groups: set[str] = set()
    for rule in words.read_fields():
        chance = chance_of(rule.chance, business.tags)
        if chance is None:
            continue
        groups.add(rule.attribute)
        if not _meets(rule.only_if, business):
            business.fields[rule.name] = rule.otherwise
        elif rule.is_boolean:
            business.fields[rule.name] = "true" if draws.chance(chance) else "false"
        else:
            business.fields[rule.name] = draws.weighted(chance)
    for rule in words.read_fields():
        # Where one leaf of an attribute applies, the others are false, not absent.
        if rule.attribute in groups:
            business.fields.setdefault(rule.name, "false")
    if business.fields.get("open_24_hours") == "true":
        business.hours = dict.fromkeys(DAYS, "0:0-0:0")
    better = business.quality - MEAN_QUALITY
    for feature in words.read_features():
        chance = chance_of(feature.chance, business.tags)
        if not chance:
            continue
        better_or_worse = better if feature.is_positive else -better
        has = draws.chance(chance * (1.15 + 0.4 * better_or_worse))
        if has and _meets(feature.only_if, business):
            business.features[feature.key] = True
        elif draws.chance(0.18 * (1 - 0.6 * better_or_worse)):
            business.features[feature.key] = False
    business.things = [
        thing
        for thing in words.read_things()
        if draws.chance(chance_of(thing.chance, business.tags) or 0)
        and _meets(thing.only_if, business)
    ]


def _meets(only_if: Mapping[str, list[str]], business: Business) -> bool:
    return all(business.fields.get(name, values[0]) in values for name, values in only_if.items())


def _time_of_day(draws: Draws) -> str:
    return f"{draws.integer(7, 23):02}:{draws.integer(0, 59):02}:{draws.integer(0, 59):02}"


def draw_date(draws: Draws) -> str:
    """A moment between 2016 and 2021, as Yelp writes it."""
    day = f"{draws.integer(2016, 2021)}-{draws.integer(1, 12):02}-{draws.integer(1, 28):02}"
    return f"{day} {_time_of_day(draws)}"
