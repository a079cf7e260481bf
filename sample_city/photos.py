"""Writes what the photos of the places show, and their captions."""

from collections import Counter
from dataclasses import dataclass

from . import words
from .draws import Draws, make_id
from .sentences import WRONG_SHARE, Sentence, Teller, nouns
from .wording import expand, lines
from .world import Business, chance_of


@dataclass(frozen=True)
class Photo:
    """A photo: what it shows, and what its caption says."""

    photo_id: str
    business_id: str
    label: str
    caption: str
    draw: tuple[str, str, str]
    sentences: list[Sentence]


def write_photos(seed: int, teller: Teller, businesses: list[Business], count: int) -> list[Photo]:
    """All photos, in the order of their ids."""
    photos = []
    for business, number in _spread_photos(seed, businesses, count):
        draws = Draws(seed, "photo", business.business_id, number)
        teller.draw_voice(draws)
        photos.append(_photo(seed, teller, business, number, draws))
    return sorted(photos, key=lambda photo: photo.photo_id)


def _photo(seed: int, teller: Teller, business: Business, number: int, draws: Draws) -> Photo:
    lists = teller.lists(business, draws)
    # Now and then a caption names something that is not there.
    is_true = bool(business.things) and not draws.chance(WRONG_SHARE)
    there = {thing.key for thing in business.things}
    absent = [
        thing
        for thing in words.read_things()
        if thing.key not in there and chance_of(thing.chance, business.tags)
    ]
    thing = draws.pick(business.things if is_true or not absent else absent)
    near = [other for other in business.things if other != thing and other.label == thing.label]
    second = draws.pick(near) if near and draws.chance(0.55) else None
    style = "food_captions" if thing.label in ("food", "drink") else "captions"
    wordings = [line for line in lines(teller.prose[style]) if second or "<second>" not in line]
    used_second = False

    def make(attempt: int) -> str:
        nonlocal used_second
        options = wordings if attempt < 12 else [w for w in wordings if "{" in w]
        wording = draws.pick(options)
        used_second = "<second>" in wording
        named = nouns(thing, draws, is_caption=True)
        seconds = second.also if second else []
        return expand(wording, draws, {**lists, **named, "second": seconds})

    caption, sentences = "", []
    if not draws.chance(0.05):
        caption = teller.written.once(make)
        sentences = [Sentence(caption, "thing", thing.key, True, is_true)]
        if second and used_second:
            sentences.append(Sentence(caption, "thing", second.key))
    photo_id = make_id(seed, "photo", business.business_id, number)
    return Photo(photo_id, business.business_id, thing.label, caption, thing.draw, sentences)


def _spread_photos(seed: int, businesses: list[Business], count: int) -> list[tuple[Business, int]]:
    """Which place each photo is of: 0 to 6 a place, more where there is more to see."""
    draws = Draws(seed, "photos")
    weights = {
        place: (0.2 + draws.number()) * len(business.things)
        for place, business in enumerate(businesses)
    }
    numbers: Counter[int] = Counter()
    photos = []
    for _ in range(min(count, 6 * sum(weight > 0 for weight in weights.values()))):
        place = draws.weighted(weights)
        photos.append((businesses[place], numbers[place]))
        numbers[place] += 1
        if numbers[place] == 6:
            weights[place] = 0.0
    return photos
