"""A synthetic collection of any size in the layout of the Yelp Open Dataset, written as a stream.

`python -m tests.bench.yelp FOLDER [--reviews 7000000 ...]`. Sizes, lengths and escapes are like the
real ones; the words are made up. The same arguments write the same bytes.
"""

from __future__ import annotations

import argparse
import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

BLOCK = 50_000
SYLLABLES = [*(a + b for a in "bdfglmnprstvwz" for b in "aeiou"), *"éñ寿"]
CATEGORIES = [f"Kind {number}" for number in range(1200)]
CITIES = [f"City {number}" for number in range(400)]
ATTRIBUTES = {
    "WiFi": ["u'free'", "u'no'", "'paid'", "None"],
    "RestaurantsPriceRange2": ["1", "2", "3", "4"],
    "BusinessAcceptsCreditCards": ["True", "False"],
    "RestaurantsTakeOut": ["True", "False", "None"],
    "Alcohol": ["u'none'", "'full_bar'", "u'beer_and_wine'"],
    "BusinessParking": [
        "{'garage': False, 'street': True, 'validated': False, 'lot': True, 'valet': False}",
        "None",
    ],
    "Ambience": ["{u'casual': True, u'romantic': False, u'divey': None, u'classy': False}"],
}
HOURS = dict.fromkeys(("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"), "8:0-18:30")


@dataclass(frozen=True)
class Size:
    """Rows of each file; by default those of the real collection."""

    businesses: int = 150_000
    users: int = 2_000_000
    reviews: int = 7_000_000
    tips: int = 900_000
    photos: int = 200_000


def write_collection(folder: Path, size: Size, seed: int = 7) -> None:
    """Write the five files; photo files are not made."""
    folder.mkdir(parents=True, exist_ok=True)
    draw = np.random.default_rng(seed)
    prose = _Prose(draw)
    businesses = _ids(draw, size.businesses)
    users = _ids(draw, size.users)
    prefix = "yelp_academic_dataset_"
    _write(folder / f"{prefix}business.json", _businesses(draw, businesses))
    _write(folder / f"{prefix}user.json", _users(draw, users))
    _write(folder / f"{prefix}review.json", _reviews(draw, prose, size.reviews, businesses, users))
    _write(folder / f"{prefix}tip.json", _tips(draw, prose, size.tips, businesses, users))
    _write(folder / "photos.json", _photos(draw, prose, size.photos, businesses))


class _Prose:
    """Texts as slices of a pool of sentences, JSON-escaped already: a row costs two slices."""

    def __init__(self, draw: np.random.Generator, sentences: int = 100_000) -> None:
        words = np.array(
            ["".join(draw.choice(SYLLABLES[:-3], draw.integers(1, 5))) for _ in range(6000)]
            + ["".join(draw.choice(SYLLABLES, 3)) for _ in range(200)]
        )
        ranks = 1 / np.arange(1, len(words) + 1)
        drawn = draw.choice(words, sentences * 12, p=ranks / ranks.sum())
        lengths = draw.integers(3, 20, sentences)
        ends = [". ", ".\n\n", '! "Ok" ', "? "]
        marks = draw.choice(ends, sentences, p=[0.85, 0.09, 0.03, 0.03])
        pieces, start = [], 0
        for length, mark in zip(lengths.tolist(), marks.tolist(), strict=True):
            text = " ".join(drawn[start : start + length]).capitalize() + mark
            # Some files hold escapes, some plain UTF-8.
            pieces.append(json.dumps(text, ensure_ascii=start % 2 == 0)[1:-1].encode())
            start = (start + length) % (len(drawn) - 20)
        self.pool = b"".join(pieces)
        self.starts = np.concatenate([[0], np.cumsum([len(piece) for piece in pieces])])

    def texts(
        self, draw: np.random.Generator, count: int, mean_sentences: float
    ) -> Iterator[bytes]:
        """Texts of a skewed length, as long as Yelp's: mean_sentences 7 gives 600 characters."""
        last = len(self.starts) - 1
        wanted = np.minimum(np.exp(draw.normal(np.log(mean_sentences) - 0.3, 0.8, count)), 60)
        heads = draw.integers(0, last - 60, count)
        tails = draw.integers(0, last - 1, count)
        slices = zip(
            self.starts[heads].tolist(),
            self.starts[heads + wanted.astype(int)].tolist(),
            self.starts[tails].tolist(),
            self.starts[tails + 1].tolist(),
            strict=True,
        )
        for head, head_end, tail, tail_end in slices:
            yield self.pool[head:head_end] + self.pool[tail:tail_end]


def _ids(draw: np.random.Generator, count: int) -> list[bytes]:
    """Ids like Yelp's: 22 URL-safe characters."""
    text = base64.urlsafe_b64encode(draw.bytes(count * 18))
    return [text[start : start + 22] for start in range(0, count * 24, 24)]


def _dates(draw: np.random.Generator, count: int) -> list[bytes]:
    seconds = draw.integers(1_100_000_000, 1_640_000_000, count).astype("datetime64[s]")
    return [str(second).replace("T", " ").encode() for second in seconds]


def _businesses(draw: np.random.Generator, ids: list[bytes]) -> Iterator[bytes]:
    for number, business_id in enumerate(ids):
        attributes = {
            key: str(draw.choice(values))
            for key, values in ATTRIBUTES.items()
            if draw.random() < 0.6
        }
        row = {
            "business_id": business_id.decode(),
            "name": f"Place {number}",
            "address": f"{number} Main St",
            "city": CITIES[number % len(CITIES)],
            "state": f"S{number % 30}",
            "postal_code": f"{number % 90000 + 10000}",
            "latitude": round(float(draw.uniform(-60, 60)), 7),
            "longitude": round(float(draw.uniform(-180, 180)), 7),
            "stars": float(draw.integers(2, 11)) / 2,
            "review_count": int(draw.integers(5, 500)),
            "is_open": int(draw.random() < 0.8),
            "attributes": attributes or None,
            "categories": ", ".join(draw.choice(CATEGORIES, draw.integers(1, 6))),
            "hours": HOURS if number % 5 else None,
        }
        yield json.dumps(row).encode() + b"\n"


def _users(draw: np.random.Generator, ids: list[bytes]) -> Iterator[bytes]:
    for start in range(0, len(ids), BLOCK):
        block = ids[start : start + BLOCK]
        friends = draw.integers(0, len(ids), (len(block), 8)).tolist()
        counts = draw.geometric(0.04, len(block)).tolist()
        for user_id, of_user, count in zip(block, friends, counts, strict=True):
            yield (
                b'{"user_id":"%b","name":"Someone","review_count":%d,'
                b'"yelping_since":"2010-01-01 10:00:00","useful":7,"funny":1,"cool":2,"elite":"",'
                b'"friends":"%b","fans":1,"average_stars":3.9}\n'
                % (user_id, count, b", ".join([ids[friend] for friend in of_user]))
            )


def _reviews(
    draw: np.random.Generator,
    prose: _Prose,
    count: int,
    businesses: list[bytes],
    users: list[bytes],
) -> Iterator[bytes]:
    dates = _dates(draw, 20_000)
    for start in range(0, count, BLOCK):
        size = min(BLOCK, count - start)
        rows = zip(
            _ids(draw, size),
            draw.integers(0, len(users), size).tolist(),
            draw.integers(0, len(businesses), size).tolist(),
            draw.integers(1, 6, size).tolist(),
            draw.geometric(0.5, (size, 3)).tolist(),
            prose.texts(draw, size, 7),
            draw.integers(0, len(dates), size).tolist(),
            strict=True,
        )
        for review_id, user, business, stars, votes, text, date in rows:
            yield (
                b'{"review_id":"%b","user_id":"%b","business_id":"%b","stars":%d.0,"useful":%d,'
                b'"funny":%d,"cool":%d,"text":"%b","date":"%b"}\n'
                % (review_id, users[user], businesses[business], stars, *votes, text, dates[date])
            )


def _tips(
    draw: np.random.Generator,
    prose: _Prose,
    count: int,
    businesses: list[bytes],
    users: list[bytes],
) -> Iterator[bytes]:
    dates = _dates(draw, 20_000)
    for start in range(0, count, BLOCK):
        size = min(BLOCK, count - start)
        rows = zip(
            draw.integers(0, len(users), size).tolist(),
            draw.integers(0, len(businesses), size).tolist(),
            prose.texts(draw, size, 0.8),
            draw.integers(0, len(dates), size).tolist(),
            strict=True,
        )
        for user, business, text, date in rows:
            yield (
                b'{"user_id":"%b","business_id":"%b","text":"%b","date":"%b","compliment_count":0}\n'
                % (users[user], businesses[business], text, dates[date])
            )


def _photos(
    draw: np.random.Generator, prose: _Prose, count: int, businesses: list[bytes]
) -> Iterator[bytes]:
    labels = [b"food", b"inside", b"outside", b"drink", b"menu"]
    owners = draw.integers(0, len(businesses), count).tolist()
    captions = prose.texts(draw, count, 0.5)
    for number, (photo_id, owner, caption) in enumerate(
        zip(_ids(draw, count), owners, captions, strict=True)
    ):
        yield (
            b'{"photo_id":"%b","business_id":"%b","caption":"%b","label":"%b"}\n'
            % (photo_id, businesses[owner], caption if number % 2 else b"", labels[number % 5])
        )


def _write(path: Path, lines: Iterator[bytes]) -> None:
    with path.open("wb", buffering=1 << 22) as file:
        file.writelines(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=7)
    for field in fields(Size):
        parser.add_argument(f"--{field.name}", type=int, default=field.default)
    given = vars(parser.parse_args())
    size = Size(**{field.name: given[field.name] for field in fields(Size)})
    write_collection(given["folder"], size, given["seed"])


if __name__ == "__main__":
    main()
