"""Writes what people say of the places: reviews and tips."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from . import words
from .draws import Draws, make_id
from .sentences import Sentence, Teller, Telling
from .world import Business, User, draw_date

FOREIGN_SHARE = 0.02
TIP_SHARE = 0.35
MOST_REVIEWS = 60
MOST_TEXTS = 78


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


class Writer:
    """Writes all texts of one city."""

    def __init__(self, seed: int, teller: Teller) -> None:
        self._seed = seed
        self._teller = teller
        self._fields = [field.name for field in words.read_fields()]

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
                self._teller.draw_voice(draws)
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

    def _review(self, telling: Telling) -> None:
        mood, draws = telling.mood, telling.draws
        if mood == "happy" and draws.chance(FOREIGN_SHARE / 0.65):
            telling.told += self._teller.foreign(telling.business, draws)
            return
        length = draws.weighted({2: 15, 3: 30, 4: 28, 5: 17, 6: 10})
        if draws.chance(0.72):
            telling.told.append(self._teller.filler(telling, "opening"))
        has_closing = draws.chance(0.42)
        length = max(len(telling.told) + 1, length - has_closing)
        # A complaint comes first with those who are unhappy.
        complaint = self._teller.feature(telling) if mood == "unhappy" else None
        if complaint:
            telling.told.append(complaint)
        subjects = {"field": 45, "feature": 39, "thing": 9, "filler": 7}
        self._tell(telling, subjects, length)
        if has_closing:
            telling.told.append(self._teller.filler(telling, "closing"))

    def _tip(self, telling: Telling) -> None:
        length = telling.draws.weighted({1: 70, 2: 30})
        self._tell(telling, {"field": 40, "feature": 34, "thing": 6, "filler": 20}, length)

    def _tell(self, telling: Telling, subjects: Mapping[str, float], length: int) -> None:
        while len(telling.told) < length:
            subject, sentence = telling.draws.weighted(subjects), None
            if subject == "field":
                sentence = self._teller.field(telling)
            elif subject == "feature":
                sentence = self._teller.feature(telling)
            elif subject == "thing":
                sentence = self._teller.thing(telling)
            elif telling.is_tip:
                sentence = self._teller.tip_filler(telling) if not telling.told else None
            elif sum(told.kind == "filler" for told in telling.told) < 2:
                sentence = self._teller.filler(telling, "middle")
            if sentence:
                telling.told.append(sentence)


def _mood(stars: int) -> str:
    return "happy" if stars >= 4 else "mixed" if stars == 3 else "unhappy"


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
