"""Both vintages of the layout: a collection of the current one and of 2015 is the same records."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from tests.support.render import render_model
from tests.support.staging import MODELS, collection, make_seed, rows, stage

CURRENT: dict[str, list[dict[str, Any]]] = {
    "business": [
        {
            "business_id": "b1",
            "name": "Zoë's 寿司",
            "address": "4734 Lebanon Church Rd, Suite 2",
            "city": "Las Vegas",
            "state": "NV",
            "postal_code": "89101",
            "latitude": 36.1,
            "longitude": -115.1,
            "stars": 4.5,
            "review_count": 12,
            "is_open": 1,
            "attributes": {
                "WiFi": "u'free'",
                "RestaurantsPriceRange2": "2",
                "GoodForKids": "True",
                "Ambience": "{u'casual': True, 'romantic': False, 'divey': None}",
                "Alcohol": "'none'",
                "HasTV": "None",
            },
            "categories": "Sushi Bars, Restaurants",
            "hours": {"Monday": "8:0-18:30"},
        },
        {
            "business_id": "b2",
            "name": "Bar",
            "address": "",
            "city": "Montréal",
            "state": "QC",
            "postal_code": "H2X 1Y4",
            "latitude": 45.5,
            "longitude": -73.6,
            "stars": 3.0,
            "review_count": 3,
            "is_open": 0,
            "attributes": {"WiFi": "u'no'", "RestaurantsPriceRange2": "1"},
            "categories": None,
            "hours": None,
        },
    ],
    "review": [
        {
            "review_id": f"v{number}",
            "user_id": "u1",
            "business_id": "b1",
            "stars": 4.0,
            "useful": number,
            "funny": 0,
            "cool": 1,
            "text": f"Text {number}\n\nfine.",
            "date": "2014-05-06 00:00:00",
        }
        for number in range(3)
    ],
    "tip": [
        {
            "user_id": "u1",
            "business_id": "b2",
            "text": "Go early.",
            "date": "2014-05-06",
            "compliment_count": 0,
        }
    ],
    "user": [{"user_id": "u1", "name": "Zoë", "review_count": 3, "friends": "u2, u3"}],
    "checkin": [{"business_id": "b1", "date": "2014-05-05 10:00:00, 2014-05-05 11:00:00"}],
    "photos": [{"photo_id": "p1", "business_id": "b1", "caption": "Sushi", "label": "food"}],
}


NAMES_OF_2015 = {
    "WiFi": "Wi-Fi",
    "RestaurantsPriceRange2": "Price Range",
    "GoodForKids": "Good for Kids",
    "HasTV": "Has TV",
}


def of_2015(row: dict[str, Any], kind: str) -> dict[str, Any]:
    """A row as the vintage of 2015 has it; keys in another order, all else said in its ways."""
    old = dict(reversed(row.items())) | {"type": kind, "unknown": {"extra": [None]}}
    if kind == "business":
        street = f"{old.pop('address')}\n" if old["address"] else ""
        old["full_address"] = f"{street}{old['city']}, {old['state']} {old.pop('postal_code')}"
        old["open"] = bool(old.pop("is_open"))
        old["neighborhoods"] = ["Strip"]
        old["categories"] = old["categories"].split(", ") if old["categories"] else []
        old["attributes"] = {
            NAMES_OF_2015.get(key, key): ast.literal_eval(value)
            for key, value in (old["attributes"] or {}).items()
        }
        old["latitude"], old["stars"] = str(old["latitude"]), str(old["stars"])
    if kind == "review":
        old["votes"] = {name: old.pop(name) for name in ("useful", "funny", "cool")}
        old["date"] = old["date"][:10]
    if kind == "user":
        old["friends"] = old["friends"].split(", ")
    if kind == "checkin":
        old["checkin_info"] = {"10-1": 1, "11-1": 1}
        del old["date"]
    return old


SOURCES = {"record_fields": "record_id, field", "records": "record_id", "photos": "photo_id"}


def test_both_vintages_are_the_same_records(tmp_path: Path) -> None:
    old = {name: [of_2015(row, name) for row in rows] for name, rows in CURRENT.items()}
    # Of two lines, one of each vintage.
    mixed = {name: [*rows[:1], *old[name][1:]] for name, rows in CURRENT.items()}
    collections = {"current": CURRENT, "2015": old, "mixed": mixed}
    staged = {
        vintage: stage(collection(tmp_path / vintage, **files), tmp_path / f"{vintage}_out")
        for vintage, files in collections.items()
    }
    for model in MODELS.values():
        left_out = " exclude (attributes, vintage)" if model == "stg_businesses" else ""
        query = f"select *{left_out} from {model} order by line_number"
        current, *others = (rows(con, query) for con in staged.values())
        assert all(other == current for other in others)
        assert len(current) == len(CURRENT[{v: k for k, v in MODELS.items()}[model]])

    for con in staged.values():
        make_seed(con, "attribute_names")
        for model in ("attribute_leaves", "record_attributes", *SOURCES):
            con.execute(f"create table {model} as {render_model(model)}")
    for model, key in (SOURCES | {"texts": "text_id"}).items():
        query = f"from {model} order by {key}"
        current, *others = (rows(con, query) for con in staged.values())
        assert all(other == current for other in others), model
        assert current
    fields = set(con.execute("select record_id, field, value from record_fields").fetchall())
    assert {("b1", "wifi", "free"), ("b1", "ambience_casual", "true")} <= fields
    assert ("b1", "restaurants_price_range2", "2") in fields
