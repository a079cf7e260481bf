"""A small collection of hiking trails in the layout of the input files, and its field catalogue."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

TRAILS = 48
NAMES = ("Otter", "Heron", "Larch", "Beacon", "Mill", "Chapel", "Quarry", "Fern")
KINDS = ("Loop", "Ridge", "Valley", "Way", "Traverse", "Path")
THINGS = (
    "a wooden footbridge over the creek",
    "stone benches at the lookout",
    "picnic tables beside the pond",
    "an iron ladder below the summit",
    "a rustic log cabin",
    "tall limestone cliffs",
    "a mossy waterfall",
    "wild blueberry bushes",
)
OPINIONS = (
    "The trail markers are clear.",
    "The parking lot is tiny.",
    "The rangers were friendly and helpful.",
    "The views are stunning.",
    "The signage was confusing.",
    "The restrooms were clean.",
    "The path is muddy after rain.",
)
CATALOGUE = """\
field,tier,weight,operator,value,probability,phrase,negation
*,,,,,,trail,
length_km,high_value,1.5,>=,,,is at least {value} km long,is shorter than {value} km
difficulty,core,2,=,easy,0.7,is an easy walk,is no easy walk
difficulty,,,=,hard,0.3,is a hard climb,is no hard climb
dogs_allowed,high_value,1.2,,,,lets dogs come along,
surface,supplementary,0.8
is_open,,,,,,is open to walkers,is closed to walkers
"""
# How LengthKm, Difficulty and so on are called as fields.
FIELDS = {
    *("length_km", "difficulty", "dogs_allowed", "surface", "permit_required", "fire_pit"),
    *("water_lake", "water_spring", "season", "remark"),
}


def write_trails(folder: Path) -> None:
    """Write the six files; the same every time."""
    draws = random.Random(5)
    rows: dict[str, list[dict[str, Any]]] = {"business": [], "review": [], "tip": [], "photos": []}
    users = [{"user_id": f"user-{number}", "name": f"Name {number}"} for number in range(12)]
    for number in range(TRAILS):
        trail = f"trail-{number:02}"
        rows["business"].append(_trail(trail, number, draws))
        things = draws.sample(THINGS, 3)
        for which in range(4):
            text = f"We passed {things[which % 3]}. {draws.choice(OPINIONS)} {_told(draws)}"
            review = {
                "review_id": f"{trail}-review-{which}",
                "business_id": trail,
                "user_id": draws.choice(users)["user_id"],
                "stars": draws.randint(2, 5),
                "date": f"2024-0{which + 1}-11 10:00:00",
                "text": text if which or number else f"{text} " * 30,
            }
            rows["review"].append(review)
        tip = {
            "business_id": trail,
            "user_id": "user-0",
            "date": "2024-06-01",
            "text": _told(draws),
        }
        rows["tip"].append(tip)
        photo = {"photo_id": f"{trail}-photo", "business_id": trail, "label": "outside"}
        rows["photos"].append(photo | {"caption": things[0].capitalize()})
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in (rows | {"user": users}).items():
        _write_lines(folder / f"{name}.json", lines)


def _trail(trail: str, number: int, draws: random.Random) -> dict[str, Any]:
    attributes: dict[str, Any] = {
        "LengthKm": round(draws.uniform(2, 25), 1),
        "Difficulty": draws.choice(["easy", "medium", "hard"]),
        "DogsAllowed": draws.choice([True, False, None]),
        "Surface": draws.choice(["gravel", "rock", "forest floor"]),
        "PermitRequired": draws.random() < 0.3,
        "Fire Pit": draws.choice(["True", "False"]),
        "Water": draws.choice(["{'Lake': True, 'Spring': False}", "{'Lake': False}", "None"]),
        "Season": draws.choice(["summer", "winter"]),
        "Remark": f"Kept by the club, section {number}, since many years.",
    }
    shown = {key: value for key, value in attributes.items() if draws.random() < 0.7}
    return {
        "business_id": trail,
        "name": f"{NAMES[number % 8]} {KINDS[number // 8]}",
        "latitude": 47 + draws.random() / 5,
        "longitude": 8 + draws.random() / 5,
        "stars": draws.choice([3.5, 4, 4.5]),
        "review_count": 4,
        "is_open": 1,
        "categories": ", ".join({"Hiking", draws.choice(["Alpine", "Lowland"])}),
        "attributes": shown if number else attributes,
    }


def _told(draws: random.Random) -> str:
    """A sentence about a field, as people put it."""
    return draws.choice(
        [
            "Dogs are allowed here.",
            "No dogs allowed, sadly.",
            "You need a permit.",
            "No permit required.",
            "There is a fire pit at the end.",
            "It is an easy walk on gravel.",
        ]
    )


def _write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
