"""Writes what the world shows: reviews, tips and captions, each sentence with what it tells."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from . import words
from .draws import Draws, make_id
from .wording import Frames, Tone, Written, expand, lines, with_article
from .world import Business, User, chance_of, draw_date

WRONG_SHARE = 0.035
FOREIGN_SHARE = 0.02
TIP_SHARE = 0.35
MOST_REVIEWS = 60
MOST_TEXTS = 78
# How often one sentence is written in a city of 4,000 texts.
MOST_REPEATS = 3
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
    mood: str = "plain"


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


@dataclass
class Telling:
    """A text while it is written: whose, of what, in which mood, and what it has told so far."""

    business: Business
    user: User
    mood: str
    salience: dict[str, float]
    draws: Draws
    is_tip: bool
    told: list[Sentence]

    @property
    def used(self) -> set[str]:
        """The keys that it has told of."""
        return {sentence.key for sentence in self.told}

    def tone(self, topic: str, mood: str) -> Tone:
        """How the next sentence is said."""
        if self.mood == "unhappy" and topic == "fact" and mood == "glad":
            mood = "plain"
        before = self.told[-1].mood if self.told else "plain"
        return Tone(
            topic=topic,
            mood=mood,
            is_tip=self.is_tip,
            is_first=not self.told,
            is_contrast={before, mood} == {"glad", "annoyed"},
        )


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

    def __init__(self, seed: int, shown: dict[str, set[str]], texts: int) -> None:
        self._seed = seed
        self._shown = shown
        self._prose = words.read("prose")
        self._frames = Frames(self._prose)
        self._written = Written(max(MOST_REPEATS, MOST_REPEATS * texts // 4000))
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
                rating = round(business.quality + user.kindness + 0.8 * draws.bell())
                is_tip = number >= total - tip_count
                text = Text(
                    business_id=business.business_id,
                    user_id=user.user_id,
                    date=draw_date(draws),
                    stars=min(5, max(1, rating)),
                    sentences=[],
                    review_id=""
                    if is_tip
                    else make_id(self._seed, "review", business.business_id, number),
                    has_paragraphs=not is_tip and draws.chance(0.15),
                )
                telling = Telling(
                    business=business,
                    user=user,
                    mood=_mood(text.stars),
                    salience=salience,
                    draws=draws,
                    is_tip=is_tip,
                    told=text.sentences,
                )
                if is_tip:
                    self._tip(telling)
                    tips[text.business_id, text.user_id, text.date] = text
                else:
                    self._review(telling)
                    reviews[text.review_id] = text
        return [reviews[key] for key in sorted(reviews)], [tips[key] for key in sorted(tips)]

    def write_photos(self, businesses: list[Business], count: int) -> list[Photo]:
        """All photos, in the order of their ids."""
        photos = []
        for business, number in _spread_photos(self._seed, businesses, count):
            draws = Draws(self._seed, "photo", business.business_id, number)
            self._voice = self._draw_voice(draws)
            photos.append(self._photo(business, number, draws))
        return sorted(photos, key=lambda photo: photo.photo_id)

    def _review(self, telling: Telling) -> None:
        mood, draws = telling.mood, telling.draws
        if mood == "happy" and draws.chance(FOREIGN_SHARE / 0.65):
            telling.told += self._foreign(telling.business, draws)
            return
        length = draws.weighted({2: 15, 3: 30, 4: 28, 5: 17, 6: 10})
        if draws.chance(0.72):
            telling.told.append(self._filler(telling, "opening"))
        has_closing = draws.chance(0.42)
        length = max(len(telling.told) + 1, length - has_closing)
        # A complaint comes first with those who are unhappy.
        complaint = self._feature(telling) if mood == "unhappy" else None
        if complaint:
            telling.told.append(complaint)
        subjects = {"field": 45, "feature": 39, "thing": 9, "filler": 7}
        self._tell(telling, subjects, length)
        if has_closing:
            telling.told.append(self._filler(telling, "closing"))

    def _tip(self, telling: Telling) -> None:
        length = telling.draws.weighted({1: 70, 2: 30})
        self._tell(telling, {"field": 40, "feature": 34, "thing": 6, "filler": 20}, length)

    def _tell(self, telling: Telling, subjects: Mapping[str, float], length: int) -> None:
        while len(telling.told) < length:
            subject, sentence = telling.draws.weighted(subjects), None
            if subject == "field":
                sentence = self._field(telling)
            elif subject == "feature":
                sentence = self._feature(telling)
            elif subject == "thing":
                sentence = self._thing(telling)
            elif telling.is_tip:
                sentence = self._tip_filler(telling) if not telling.told else None
            elif sum(told.kind == "filler" for told in telling.told) < 2:
                sentence = self._filler(telling, "middle")
            if sentence:
                telling.told.append(sentence)

    def _field(self, telling: Telling) -> Sentence | None:
        business, draws = telling.business, telling.draws
        weights = {}
        for name, value in business.fields.items():
            field = self._fields[name]
            if chance_of(field.chance, business.tags) is None:
                continue
            talk = field.talk_false if value == "false" else field.talk
            unknown = 1.0 if name in self._shown[business.business_id] else UNKNOWN_TALK
            weights[name] = talk * telling.salience[name] * unknown
        field = self._fields[draws.weighted(weights)]
        # Two leaves of one attribute often quarrel: a text tells of one of them.
        told = [self._fields[key.split("=")[0]] for key in telling.used if "=" in key]
        if any(other.attribute == field.attribute for other in told):
            return None
        value = business.fields[field.name]
        is_true = not draws.chance(WRONG_SHARE)
        if not is_true:
            value = draws.pick([other for other in field.says if other != value])
        tone = telling.tone("fact", field.moods[value])
        sentence = self._state(telling, field.says[value], tone)
        return Sentence(
            sentence, "field", field.key(value), value != "false", is_true, field.moods[value]
        )

    def _feature(self, telling: Telling) -> Sentence | None:
        business, draws, mood = telling.business, telling.draws, telling.mood
        stances = {key: has for key, has in business.features.items() if key not in telling.used}
        tastes = [key for key in telling.user.tastes if stances.get(key)]
        if draws.chance(WRONG_SHARE) and stances:
            key = draws.pick(list(stances))
            asserted, is_true = not stances[key], False
        elif tastes and mood != "unhappy" and draws.chance(0.75):
            key, asserted, is_true = draws.pick(tastes), True, True
        else:
            is_praise = draws.chance({"happy": 0.9, "mixed": 0.5, "unhappy": 0.12}[mood])
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
        feeling = "glad" if asserted == feature.is_positive else "annoyed"
        wordings = feature.says if asserted else feature.denies
        sentence = self._state(telling, wordings, telling.tone("opinion", feeling))
        return Sentence(sentence, "feature", key, asserted, is_true, feeling)

    def _thing(self, telling: Telling) -> Sentence | None:
        draws = telling.draws
        things = [thing for thing in telling.business.things if thing.key not in telling.used]
        if not things:
            return None
        thing, asserted = draws.pick(things), not draws.chance(WRONG_SHARE)
        style = "food" if thing.label in ("food", "drink") else "thing"
        wordings = lines(self._prose[f"{style}_{'says' if asserted else 'denies'}"])
        lists = self._lists(telling.business, draws)
        sentence = self._written.once(
            lambda _: expand(draws.pick(wordings), draws, {**lists, **_noun(thing, draws)})
        )
        return Sentence(sentence, "thing", thing.key, asserted, is_true=asserted)

    def _state(self, telling: Telling, wordings: Sequence[str], tone: Tone) -> str:
        draws, lists = telling.draws, self._lists(telling.business, telling.draws)

        def make(attempt: int) -> str:
            clause = expand(draws.pick(wordings), draws, lists)
            return expand(self._frames.around(clause, tone, draws, attempt), draws, lists)

        return self._written.once(make)

    def _filler(self, telling: Telling, part: str) -> Sentence:
        block = self._prose[part][telling.mood]
        if not isinstance(block, str):
            block = block["food" if "food" in telling.business.tags else "other"]
        return self._filler_of(lines(block), telling.business, telling.draws)

    def _tip_filler(self, telling: Telling) -> Sentence:
        block = self._prose["tips"]["food" if "food" in telling.business.tags else "other"]
        wordings = [wording + "{.|.|!}" for wording in lines(block)]
        return self._filler_of(wordings, telling.business, telling.draws)

    def _filler_of(self, wordings: Sequence[str], business: Business, draws: Draws) -> Sentence:
        lists = self._lists(business, draws)
        sentence = self._written.once(lambda _: expand(draws.pick(wordings), draws, lists))
        return Sentence(sentence, "filler")

    def _foreign(self, business: Business, draws: Draws) -> list[Sentence]:
        language = draws.pick(self._prose["foreign"])
        lists = self._lists(business, draws)
        truths = {f"{name}={value}" for name, value in business.fields.items()}
        truths |= {key for key, has in business.features.items() if has}
        sentences = []
        for key in draws.sample([key for key in language["says"] if key in truths], 2):
            kind = "field" if "=" in key else "feature"
            told = expand(language["says"][key], draws, lists)
            if self._written.take(told, most=MOST_REPEATS):
                sentences.append(Sentence(told, kind, key))
        return [self._filler_of(language["filler"], business, draws), *sentences]

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
            caption = self._written.once(make)
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
        if numbers[key] >= MOST_TEXTS:
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
