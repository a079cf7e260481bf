"""Writes what the world shows: reviews, tips and captions, each sentence with what it tells."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from . import words
from .draws import Draws, make_id
from .wording import Frames, expand, lines, with_article, write_once
from .world import Business, User, chance_of, draw_date

WRONG_SHARE = 0.035
FOREIGN_SHARE = 0.02
TIP_SHARE = 0.35
MOST_REVIEWS = 60
# How much rather people write about a value that the business file does not show.
UNKNOWN_TALK = 1.7


@dataclass(frozen=True)
class Sentence:
    """One sentence and what it tells: key is field=value, a feature or a thing."""

    text: str
    kind: str
    key: str = ""
    asserted: bool = True
    is_true: bool = True


@dataclass(frozen=True)
class Text:
    """A review or a tip."""

    business_id: str
    user_id: str
    date: str
    stars: int
    sentences: list[Sentence]
    review_id: str = ""
    has_paragraphs: bool = False

    @property
    def content(self) -> str:
        """The whole text; some people start a new paragraph after their first sentence."""
        texts = [sentence.text for sentence in self.sentences]
        if self.has_paragraphs and len(texts) > 3:
            texts[:2] = ["\n\n".join(texts[:2])]
        return " ".join(texts)


@dataclass(frozen=True)
class Photo:
    """A photo: what it shows, and what its caption says."""

    photo_id: str
    business_id: str
    label: str
    caption: str
    draw: tuple[str, str, str]
    sentences: list[Sentence]


class Writer:
    """Writes all texts of one city; knows which sentences are already there."""

    def __init__(self, seed: int, shown: dict[str, set[str]]) -> None:
        self._seed = seed
        self._shown = shown
        self._prose = words.read("prose")
        self._frames = Frames(self._prose)
        self._written: Counter[str] = Counter()
        self._voice: dict[str, list[str]] = {}
        self._fields = {field.name: field for field in words.read_fields()}
        self._features = {feature.key: feature for feature in words.read_features()}

    def write_texts(
        self, businesses: list[Business], users: list[User], count: int
    ) -> tuple[list[Text], list[Text]]:
        """All reviews and all tips, each in the order of their keys."""
        reviews: dict[str, Text] = {}
        tips: dict[tuple[str, str, str], Text] = {}
        numbers = _spread_texts(self._seed, businesses, count)
        for business in businesses:
            draws = Draws(self._seed, "texts", business.business_id)
            salience = {name: draws.number(0.2, 2) ** 2 for name in self._fields}
            total = numbers[business.business_id]
            tip_count = round(total * draws.number(0, 2 * TIP_SHARE)) if total > 2 else 0
            tip_count = max(tip_count, total - len(users), total - MOST_REVIEWS)
            likes = {
                place: user.activity
                * (1 + 3 * sum(business.features.get(key, False) for key in user.tastes))
                for place, user in enumerate(users)
            }
            unmet = dict(likes)
            for number in range(total):
                # One review of a place a person; tips as they come.
                place = draws.weighted(unmet if number < total - tip_count else likes)
                unmet[place] = 0.0
                self._voice = self._draw_voice(draws)
                user = users[place]
                stars = business.quality + user.kindness + 0.8 * draws.bell()
                date = draw_date(draws)
                if number < total - tip_count:
                    text = Text(
                        business_id=business.business_id,
                        user_id=user.user_id,
                        date=date,
                        stars=min(5, max(1, round(stars))),
                        sentences=[],
                        review_id=make_id(self._seed, "review", business.business_id, number),
                        has_paragraphs=draws.chance(0.15),
                    )
                    text.sentences.extend(self._review(business, user, text, salience, draws))
                    reviews[text.review_id] = text
                else:
                    text = Text(business.business_id, user.user_id, date, round(stars), [])
                    text.sentences.extend(self._tip(business, user, text, salience, draws))
                    tips[business.business_id, user.user_id, date] = text
        return [reviews[key] for key in sorted(reviews)], [tips[key] for key in sorted(tips)]

    def write_photos(self, businesses: list[Business], count: int) -> list[Photo]:
        """All photos, in the order of their ids."""
        photos = []
        for business, number in _spread_photos(self._seed, businesses, count):
            draws = Draws(self._seed, "photo", business.business_id, number)
            self._voice = self._draw_voice(draws)
            photos.append(self._photo(business, number, draws))
        return sorted(photos, key=lambda photo: photo.photo_id)

    def _review(
        self,
        business: Business,
        user: User,
        text: Text,
        salience: dict[str, float],
        draws: Draws,
    ) -> list[Sentence]:
        mood = _mood(text.stars)
        if mood == "happy" and draws.chance(FOREIGN_SHARE / 0.65):
            return self._foreign(business, draws)
        length = draws.weighted({2: 15, 3: 30, 4: 28, 5: 17, 6: 10})
        first = [self._filler(business, "opening", mood, draws)] if draws.chance(0.72) else []
        last = [self._filler(business, "closing", mood, draws)] if draws.chance(0.42) else []
        told: list[Sentence] = []
        while len(told) < max(1, length - len(first) - len(last)):
            subject = draws.weighted({"field": 45, "feature": 39, "thing": 9, "middle": 7})
            keys = {sentence.key for sentence in told}
            sentence = None
            if subject == "field":
                sentence = self._field(business, salience, keys, draws, is_tip=False)
            elif subject == "feature":
                sentence = self._feature(business, user, mood, keys, draws, is_tip=False)
            elif subject == "thing":
                sentence = self._thing(business, keys, draws)
            elif "" not in keys:
                sentence = self._filler(business, "middle", mood, draws)
            if sentence:
                told.append(sentence)
        return first + told + last

    def _tip(
        self,
        business: Business,
        user: User,
        text: Text,
        salience: dict[str, float],
        draws: Draws,
    ) -> list[Sentence]:
        mood = _mood(text.stars)
        told: list[Sentence] = []
        while len(told) < draws.weighted({1: 70, 2: 30}):
            subject = draws.weighted({"field": 40, "feature": 34, "thing": 6, "filler": 20})
            keys = {sentence.key for sentence in told}
            sentence = None
            if subject == "field":
                sentence = self._field(business, salience, keys, draws, is_tip=True)
            elif subject == "feature":
                sentence = self._feature(business, user, mood, keys, draws, is_tip=True)
            elif subject == "thing":
                sentence = self._thing(business, keys, draws)
            elif "" not in keys:
                sentence = self._tip_filler(business, draws)
            if sentence:
                told.append(sentence)
        return told

    def _field(
        self,
        business: Business,
        salience: dict[str, float],
        used: set[str],
        draws: Draws,
        is_tip: bool,
    ) -> Sentence | None:
        weights = {}
        for name, value in business.fields.items():
            field = self._fields[name]
            if chance_of(field.chance, business.tags) is None:
                continue
            talk = field.talk_false if value == "false" else field.talk
            unknown = 1.0 if name in self._shown[business.business_id] else UNKNOWN_TALK
            weights[name] = talk * salience[name] * unknown
        field = self._fields[draws.weighted(weights)]
        # One sentence of a text on each attribute: two leaves of one often quarrel.
        if any(key.split("=")[0] == field.name for key in used):
            return None
        value = business.fields[field.name]
        is_true = not draws.chance(WRONG_SHARE)
        if not is_true:
            value = draws.pick([other for other in field.says if other != value])
        sentence = self._state(
            business, field.says[value], "fact", field.moods[value], draws, is_tip
        )
        return Sentence(sentence, "field", field.key(value), value != "false", is_true)

    def _feature(
        self,
        business: Business,
        user: User,
        mood: str,
        used: set[str],
        draws: Draws,
        is_tip: bool,
    ) -> Sentence | None:
        stances = {key: has for key, has in business.features.items() if key not in used}
        tastes = [key for key in user.tastes if stances.get(key)]
        if draws.chance(WRONG_SHARE) and stances:
            key = draws.pick(list(stances))
            asserted, is_true = not stances[key], False
        elif tastes and mood != "unhappy" and draws.chance(0.75):
            key, asserted, is_true = draws.pick(tastes), True, True
        else:
            praise = {"happy": 0.9, "mixed": 0.5, "unhappy": 0.12}[mood]
            is_praise = draws.chance(praise)
            fitting = [
                key
                for key, has in stances.items()
                if (has == self._features[key].is_positive) == is_praise
            ]
            if not fitting:
                return None
            key = draws.pick(fitting)
            asserted, is_true = stances[key], True
        feature = self._features[key]
        wordings = feature.says if asserted else feature.denies
        feeling = "glad" if asserted == feature.is_positive else "annoyed"
        sentence = self._state(business, wordings, "opinion", feeling, draws, is_tip)
        return Sentence(sentence, "feature", key, asserted, is_true)

    def _thing(self, business: Business, used: set[str], draws: Draws) -> Sentence | None:
        things = [thing for thing in business.things if thing.key not in used]
        if not things:
            return None
        thing, asserted = draws.pick(things), not draws.chance(WRONG_SHARE)
        style = "food" if thing.label in ("food", "drink") else "thing"
        wordings = lines(self._prose[f"{style}_{'says' if asserted else 'denies'}"])
        lists = self._lists(business, draws)
        sentence = write_once(
            lambda _: expand(draws.pick(wordings), draws, {**lists, **_noun(thing, draws)}),
            self._written,
        )
        return Sentence(sentence, "thing", thing.key, asserted, is_true=asserted)

    def _state(
        self,
        business: Business,
        wordings: Sequence[str],
        topic: str,
        mood: str,
        draws: Draws,
        is_tip: bool,
    ) -> str:
        lists = self._lists(business, draws)

        def make(attempt: int) -> str:
            clause = expand(draws.pick(wordings), draws, lists)
            template = self._frames.around(clause, topic, mood, draws, is_tip, attempt)
            return expand(template, draws, lists)

        return write_once(make, self._written)

    def _filler(self, business: Business, part: str, mood: str, draws: Draws) -> Sentence:
        block = self._prose[part][mood]
        if not isinstance(block, str):
            block = block["food" if "food" in business.tags else "other"]
        lists, wordings = self._lists(business, draws), lines(block)
        make = lambda _: expand(draws.pick(wordings), draws, lists)  # noqa: E731
        return Sentence(write_once(make, self._written), "filler")

    def _tip_filler(self, business: Business, draws: Draws) -> Sentence:
        wordings = lines(self._prose["tips"]["food" if "food" in business.tags else "other"])
        lists = self._lists(business, draws)
        make = lambda _: expand(draws.pick(wordings) + "{.|.|!}", draws, lists)  # noqa: E731
        return Sentence(write_once(make, self._written), "filler")

    def _foreign(self, business: Business, draws: Draws) -> list[Sentence]:
        language = draws.pick(self._prose["foreign"])
        lists = self._lists(business, draws)
        truths = {f"{name}={value}" for name, value in business.fields.items()}
        truths |= {key for key, has in business.features.items() if has}
        sentences = []
        for key in draws.sample([key for key in language["says"] if key in truths], 2):
            kind = "field" if "=" in key else "feature"
            told = expand(language["says"][key], draws, lists)
            if self._written[told] < 3:
                self._written[told] += 1
                sentences.append(Sentence(told, kind, key))
        make = lambda _: expand(draws.pick(language["filler"]), draws, lists)  # noqa: E731
        return [Sentence(write_once(make, self._written), "filler"), *sentences]

    def _photo(self, business: Business, number: int, draws: Draws) -> Photo:
        lists = self._lists(business, draws)
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
        wordings = [line for line in lines(self._prose[style]) if second or "<second>" not in line]
        used_second = False

        def make(attempt: int) -> str:
            nonlocal used_second
            options = wordings if attempt < 12 else [w for w in wordings if "{" in w]
            wording = draws.pick(options)
            used_second = "<second>" in wording
            nouns = _noun(thing, draws, is_caption=True)
            seconds = second.also if second else []
            return expand(wording, draws, {**lists, **nouns, "second": seconds})

        caption, sentences = "", []
        if not draws.chance(0.05):
            caption = write_once(make, self._written)
            sentences = [Sentence(caption, "thing", thing.key, True, is_true)]
            if second and used_second:
                sentences.append(Sentence(caption, "thing", second.key))
        photo_id = make_id(self._seed, "photo", business.business_id, number)
        return Photo(photo_id, business.business_id, thing.label, caption, thing.draw, sentences)

    def _draw_voice(self, draws: Draws) -> dict[str, list[str]]:
        """Who tells a text: I or we, and with whom."""
        return {
            "me": [draws.pick(["I", "I", "we"])],
            "who": [draws.pick(self._prose["lists"]["who"])],
        }

    def _lists(self, business: Business, draws: Draws) -> dict[str, Sequence[str]]:
        item, other_item = draws.sample(business.kind.items, 2)
        return {
            **self._prose["lists"],
            **self._voice,
            "name": [business.name],
            "item": [item],
            "other_item": [other_item],
            "visit": business.kind.visits,
            "hood": [business.hood],
            "city": [business.city],
            "street": [business.street],
        }


def _mood(stars: int) -> str:
    return "happy" if stars >= 4 else "mixed" if stars == 3 else "unhappy"


def _noun(thing: words.Thing, draws: Draws, is_caption: bool = False) -> dict[str, list[str]]:
    noun = draws.pick(thing.also)
    has_article = re.match(r"an? ", thing.thing) is not None
    return {
        "thing": [noun],
        "the_thing": [f"the {noun}"],
        "a_thing": [with_article(noun) if has_article else noun],
        "where": thing.where if is_caption or draws.chance(0.5) else [""],
    }


def _spread_texts(seed: int, businesses: list[Business], count: int) -> dict[str, int]:
    """How many texts each place gets: 2 at least, then by a long tail."""
    draws = Draws(seed, "popularity")
    weights = {business.business_id: math.exp(0.95 * draws.bell()) for business in businesses}
    numbers = {key: min(2, count // len(businesses)) for key in weights}
    for _ in range(count - sum(numbers.values())):
        key = draws.weighted(weights)
        numbers[key] += 1
        if numbers[key] >= MOST_REVIEWS * 1.3:
            weights[key] = 0.0
    return numbers


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
