"""The files of the city in Yelp's layout."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from . import words
from .drawing import draw_photo
from .draws import Draws
from .photos import Photo
from .texts import Text
from .world import Business, User, draw_date

NONE_SHARE = 0.12
LEAF_NONE_SHARE = 0.04
MOST_SHOWN = 0.9
COMPLIMENTS = ["hot", "more", "profile", "cute", "list", "note", "plain", "cool", "funny"]
COMPLIMENTS += ["writer", "photos"]

Row = dict[str, Any]


def show_attributes(seed: int, businesses: list[Business]) -> dict[str, dict[str, str]]:
    """What the business file shows of the fields: Yelp's own literals, by business.

    Each attribute is shown by its coverage (a share of all businesses), for 90 % of those that
    it applies to at most; some of the others say "None".
    """
    shown: dict[str, dict[str, str]] = {business.business_id: {} for business in businesses}
    leaves: dict[str, list[words.Field]] = defaultdict(list)
    for field in words.read_fields():
        leaves[field.attribute].append(field)
    for attribute, coverage in words.read_coverage().items():
        draws = Draws(seed, "shown", attribute)
        applicable = [b for b in businesses if leaves[attribute][0].name in b.fields]
        wanted = max(1, round(coverage * len(businesses)))
        count = min(wanted, max(1, int(MOST_SHOWN * len(applicable))))
        order = draws.sample(applicable, len(applicable))
        for place, business in enumerate(order):
            if place < count:
                literal = _literal(business, leaves[attribute], draws)
                shown[business.business_id][attribute] = literal
            elif draws.chance(NONE_SHARE):
                shown[business.business_id][attribute] = "None"
    return shown


def shown_fields(attributes: dict[str, str]) -> set[str]:
    """The names of the fields whose value these attributes show."""
    return {
        field.name
        for field in words.read_fields()
        if attributes.get(field.attribute, "None") != "None"
        and f"'{field.leaf}': None" not in attributes[field.attribute]
    }


def _literal(business: Business, leaves: list[words.Field], draws: Draws) -> str:
    """A value as Yelp writes it: True, u'free', '2', {'garage': False, 'lot': None}."""
    prefix = "u" if draws.chance(0.6) else ""
    if leaves[0].leaf is None:
        value = business.fields[leaves[0].name]
        if leaves[0].is_boolean:
            return value.capitalize()
        return value if value.isdigit() else f"{prefix}'{value}'"
    parts = []
    for field in leaves:
        value = business.fields[field.name].capitalize()
        parts.append(f"{prefix}'{field.leaf}': {value}")
        if draws.chance(LEAF_NONE_SHARE):
            parts[-1] = f"{prefix}'{field.leaf}': None"
    return "{" + ", ".join(parts) + "}"


def write_city(
    folder: Path,
    seed: int,
    businesses: list[Business],
    attributes: dict[str, dict[str, str]],
    users: list[User],
    reviews: list[Text],
    tips: list[Text],
    photos: list[Photo],
) -> None:
    """All files of Yelp's layout, in a folder that exists."""
    ratings = business_ratings(reviews)
    prefix = "yelp_academic_dataset_"
    rows = (_business_row(b, attributes[b.business_id], ratings) for b in businesses)
    write_rows(folder / f"{prefix}business.json", rows)
    write_rows(folder / f"{prefix}review.json", (_review_row(seed, r) for r in reviews))
    write_rows(folder / f"{prefix}tip.json", (_tip_row(seed, tip) for tip in tips))
    write_rows(folder / f"{prefix}user.json", _user_rows(seed, users, reviews))
    write_rows(folder / f"{prefix}checkin.json", _checkin_rows(seed, businesses))
    write_rows(folder / "photos.json", map(_photo_row, photos))
    (folder / "photos").mkdir()
    for photo in photos:
        picture = draw_photo(photo.photo_id, photo.label, photo.draw)
        (folder / "photos" / f"{photo.photo_id}.jpg").write_bytes(picture)


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """JSON lines, UTF-8."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def business_ratings(reviews: list[Text]) -> dict[str, list[int]]:
    """The stars of all reviews, by business."""
    ratings: dict[str, list[int]] = defaultdict(list)
    for review in reviews:
        ratings[review.business_id].append(review.stars)
    return ratings


def half_stars(ratings: list[int]) -> float:
    """The mean in half steps, as Yelp shows it."""
    return int(2 * sum(ratings) / len(ratings) + 0.5) / 2


def _business_row(
    business: Business, attributes: dict[str, str], ratings: dict[str, list[int]]
) -> Row:
    stars = ratings[business.business_id]
    return {
        "business_id": business.business_id,
        "name": business.name,
        "address": business.address,
        "city": business.city,
        "state": business.state,
        "postal_code": business.postal_code,
        "latitude": business.latitude,
        "longitude": business.longitude,
        "stars": half_stars(stars),
        "review_count": len(stars),
        "is_open": business.is_open,
        "attributes": attributes or None,
        "categories": business.categories,
        "hours": business.hours,
    }


def _review_row(seed: int, review: Text) -> Row:
    draws = Draws(seed, "votes", review.review_id)
    return {
        "review_id": review.review_id,
        "user_id": review.user_id,
        "business_id": review.business_id,
        "stars": float(review.stars),
        "useful": draws.pick([0, 0, 0, 1, 1, 2, 5]),
        "funny": draws.pick([0, 0, 0, 0, 1]),
        "cool": draws.pick([0, 0, 0, 1, 2]),
        "text": review.content,
        "date": review.date,
    }


def _tip_row(seed: int, tip: Text) -> Row:
    draws = Draws(seed, "votes", tip.user_id, tip.business_id, tip.date)
    return {
        "user_id": tip.user_id,
        "business_id": tip.business_id,
        "text": tip.content,
        "date": tip.date,
        "compliment_count": draws.pick([0, 0, 0, 0, 0, 0, 1]),
    }


def _user_rows(seed: int, users: list[User], reviews: list[Text]) -> Iterator[Row]:
    stars: dict[str, list[int]] = defaultdict(list)
    for review in reviews:
        stars[review.user_id].append(review.stars)
    for user in users:
        draws = Draws(seed, "votes", user.user_id)
        own = stars[user.user_id]
        friends = draws.sample([other.user_id for other in users if other != user], 8)
        friends = sorted(friends[: draws.integer(0, 8)])
        elite = [year for year in range(2016, 2022) if len(own) > 25 and draws.chance(0.5)]
        yield {
            "user_id": user.user_id,
            "name": user.name,
            "review_count": len(own),
            "yelping_since": user.since,
            "useful": draws.integer(0, 4 * len(own)),
            "funny": draws.integer(0, len(own)),
            "cool": draws.integer(0, 2 * len(own)),
            "elite": ",".join(map(str, elite)),
            "friends": ", ".join(friends) or "None",
            "fans": draws.integer(0, len(own) // 5),
            "average_stars": round(sum(own) / len(own), 2) if own else 0.0,
            **{f"compliment_{name}": draws.integer(0, len(own) // 8) for name in COMPLIMENTS},
        }


def _checkin_rows(seed: int, businesses: list[Business]) -> Iterator[Row]:
    for business in businesses:
        draws = Draws(seed, "checkins", business.business_id)
        if draws.chance(0.87):
            dates = sorted(draw_date(draws) for _ in range(draws.integer(1, 12)))
            yield {"business_id": business.business_id, "date": ", ".join(dates)}


def _photo_row(photo: Photo) -> Row:
    return {
        "photo_id": photo.photo_id,
        "business_id": photo.business_id,
        "caption": photo.caption,
        "label": photo.label,
    }
