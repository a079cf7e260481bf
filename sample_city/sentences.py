"""Sentences about places, each with what it tells: fields, features, things, and nothing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from . import words
from .draws import Draws
from .wording import Frames, Tone, Written, expand, lines, with_article
from .world import Business, User, chance_of

WRONG_SHARE = 0.035
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


class Teller:
    """Tells of the places of one city; knows which sentences are already there.

    shown: the fields of each place whose values the business file shows. texts: how many there
    will be.
    """

    def __init__(self, shown: dict[str, set[str]], texts: int) -> None:
        self._shown = shown
        self.prose = words.read("prose")
        self._frames = Frames(self.prose)
        self.written = Written(max(MOST_REPEATS, MOST_REPEATS * texts // 4000))
        self._voice: dict[str, list[str]] = {}
        self._fields = {field.name: field for field in words.read_fields()}
        self._features = {feature.key: feature for feature in words.read_features()}

    def draw_voice(self, draws: Draws) -> None:
        """Who tells the next text: I or we, and with whom."""
        self._voice = {
            "me": [draws.pick(["I", "I", "we"])],
            "who": [draws.pick(self.prose["lists"]["who"])],
        }

    def lists(self, business: Business, draws: Draws) -> dict[str, Sequence[str]]:
        """The words that wordings leave open."""
        item, other_item = draws.sample(business.kind.items, 2)
        return {
            **self.prose["lists"],
            **self._voice,
            "name": [business.name],
            "item": [item],
            "other_item": [other_item],
            "visit": business.kind.visits,
            "hood": [business.hood],
            "city": [business.city],
            "street": [business.street],
        }

    def field(self, telling: Telling) -> Sentence | None:
        """What a field of the place is; None where its attribute was told of."""
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

    def feature(self, telling: Telling) -> Sentence | None:
        """What is good or bad about the place; None where nothing fits the mood."""
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

    def thing(self, telling: Telling) -> Sentence | None:
        """What one sees there; None where all was told of."""
        draws = telling.draws
        things = [thing for thing in telling.business.things if thing.key not in telling.used]
        if not things:
            return None
        thing, asserted = draws.pick(things), not draws.chance(WRONG_SHARE)
        style = "food" if thing.label in ("food", "drink") else "thing"
        wordings = lines(self.prose[f"{style}_{'says' if asserted else 'denies'}"])
        lists = self.lists(telling.business, draws)
        sentence = self.written.once(
            lambda _: expand(draws.pick(wordings), draws, {**lists, **nouns(thing, draws)})
        )
        return Sentence(sentence, "thing", thing.key, asserted, is_true=asserted)

    def _state(self, telling: Telling, wordings: Sequence[str], tone: Tone) -> str:
        draws, lists = telling.draws, self.lists(telling.business, telling.draws)

        def make(attempt: int) -> str:
            clause = expand(draws.pick(wordings), draws, lists)
            return expand(self._frames.around(clause, tone, draws, attempt), draws, lists)

        return self.written.once(make)

    def filler(self, telling: Telling, part: str) -> Sentence:
        """A sentence that tells nothing: an opening, a closing, one between."""
        block = self.prose[part][telling.mood]
        if not isinstance(block, str):
            block = block["food" if "food" in telling.business.tags else "other"]
        return self._filler_of(lines(block), telling.business, telling.draws)

    def tip_filler(self, telling: Telling) -> Sentence:
        """A tip that tells nothing."""
        block = self.prose["tips"]["food" if "food" in telling.business.tags else "other"]
        wordings = [wording + "{.|.|!}" for wording in lines(block)]
        return self._filler_of(wordings, telling.business, telling.draws)

    def _filler_of(self, wordings: Sequence[str], business: Business, draws: Draws) -> Sentence:
        lists = self.lists(business, draws)
        sentence = self.written.once(lambda _: expand(draws.pick(wordings), draws, lists))
        return Sentence(sentence, "filler")

    def foreign(self, business: Business, draws: Draws) -> list[Sentence]:
        """A text in another language."""
        language = draws.pick(self.prose["foreign"])
        lists = self.lists(business, draws)
        truths = {f"{name}={value}" for name, value in business.fields.items()}
        truths |= {key for key, has in business.features.items() if has}
        sentences = []
        for key in draws.sample([key for key in language["says"] if key in truths], 2):
            kind = "field" if "=" in key else "feature"
            told = expand(language["says"][key], draws, lists)
            if self.written.take(told, most=MOST_REPEATS):
                sentences.append(Sentence(told, kind, key))
        return [self._filler_of(language["filler"], business, draws), *sentences]


def nouns(thing: words.Thing, draws: Draws, is_caption: bool = False) -> dict[str, list[str]]:
    """The words for a thing that wordings leave open."""
    noun = draws.pick(thing.also)
    has_article = re.match(r"an? ", thing.thing) is not None
    return {
        "thing": [noun],
        "the_thing": [f"the {noun}"],
        "a_thing": [with_article(noun) if has_article else noun],
        "where": thing.where if is_caption or draws.chance(0.5) else [""],
    }
