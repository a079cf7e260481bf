"""Opinions about features: what is praised, what is blamed, and what is neither."""

import json
import time
from pathlib import Path

import pytest

from udfs.english.inflection import article, infinitive, plural, singular
from udfs.english.lexicon import word_class
from udfs.rules.extractor.features import extract_features

STAYS = Path(__file__).resolve().parents[3] / "shared" / "data" / "stays"


def opinions(content: str) -> set[tuple[str, str]]:
    return {(found.feature, found.polarity) for found in extract_features(content)}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Friendly staff, great coffee.", {("friendly staff", "+"), ("coffee", "+")}),
        ("The staff was so friendly!", {("friendly staff", "+")}),
        ("We loved the tacos and the salsa.", {("tacos", "+"), ("salsa", "+")}),
        ("I never had a better cappuccino", {("cappuccino", "+")}),
        ("Rude waiters.", {("friendly staff", "-")}),
        ("The servers were not very friendly.", {("friendly staff", "-")}),
        ("The room was noisy and dirty.", {("quiet rooms", "-"), ("clean rooms", "-")}),
        ("The room wasn't noisy.", {("quiet rooms", "+")}),
        ("The tacos we ordered were delicious!", {("tacos", "+")}),
        ("The staff at the front desk were helpful.", {("helpful staff", "+")}),
        ("Food and service were excellent.", {("food", "+"), ("service", "+")}),
        ("Location great, beds comfy.", {("location", "+"), ("comfortable beds", "+")}),
        ("The coffee could be better.", {("coffee", "-")}),
        ("It was not the best coffee.", {("coffee", "-")}),
        ("A great cup of coffee.", {("coffee", "+")}),
        ("Great selection of craft beers.", {("beer selection", "+")}),
        ("Cannot fault the service.", {("service", "+")}),
        ("The fries were cold.", {("fries", "-")}),
        ("Cold beer!", {("cold beer", "+")}),
        ("Such a cozy spot.", {("cozy atmosphere", "+")}),
        ("Their wood-fired pizza is incredible", {("wood-fired pizza", "+")}),
        ("Wifi was spotty", {("reliable wifi", "-")}),
        (
            "They use fresh local ingredients.",
            {("fresh ingredients", "+"), ("local ingredients", "+")},
        ),
        ("We loved the outdoor seating.", {("outdoor seating", "+")}),
        ("Fresh flowers on every table.", {("fresh flowers", "+")}),
        ("Our room had thin walls.", {("walls", "-")}),
        ("Store-bought bread.", {("homemade bread", "-")}),
    ],
)
def test_opinions(content: str, expected: set[tuple[str, str]]) -> None:
    signs = {"+": "positive", "-": "negative"}
    assert opinions(content) == {(feature, signs[sign]) for feature, sign in expected}


@pytest.mark.parametrize(
    "content",
    [
        "If the staff were friendly I would come back.",
        "Is the staff friendly?",
        "We were looking for a quiet room.",
        "I would love a better menu",
        "I didn't want to leave the beautiful garden.",
        "The Old Mill is great.",
        "What a great place, we had an amazing time!",
        "Bring good rain gear and a warm coat.",
        "My lovely grandmother and her wonderful roommate came.",
        "Lovely seating and a great bake.",
        "Great address, crowded shoulders, creative smoke.",
        "Das Haus war super und sehr clean, wir kommen wieder.",
        "Le personnel est super, super emplacement pour visiter.",
        "完美的房源, 无敌的景色",
        "",
        ".",
        "!!! ??? ...",
    ],
)
def test_nothing_is_better_than_nonsense(content: str) -> None:
    assert extract_features(content) == []


def test_a_feature_comes_once_with_its_best_confidence() -> None:
    found = extract_features("Friendly staff. The staff is friendly. Staff friendly.")
    assert [(row.feature, row.polarity, row.confidence) for row in found] == [
        ("friendly staff", "positive", 0.9)
    ]


def test_faint_praise_is_less_certain() -> None:
    (found,) = extract_features("The latte wasn't bad.")
    assert (found.feature, found.polarity) == ("latte", "positive")
    assert found.confidence < 0.7


NOUNS = [
    ("taco", "tacos"),
    ("pastry", "pastries"),
    ("dish", "dishes"),
    ("glass", "glasses"),
    ("campus", "campuses"),
    ("bookshelf", "bookshelves"),
    ("goose", "geese"),
    ("man", "men"),
    ("bistro", "bistros"),
    ("potato", "potatoes"),
    ("smoothie", "smoothies"),
    ("lean-to", "lean-tos"),
    ("check-in", "check-ins"),
]


@pytest.mark.parametrize(("one", "many"), NOUNS)
def test_singular_and_plural(one: str, many: str) -> None:
    assert (singular(many), plural(one)) == (one, many)
    assert (singular(one), plural(many)) == (one, many)


@pytest.mark.parametrize("word", ["fries", "grounds", "staff", "amenities", "people"])
def test_some_nouns_have_one_form(word: str) -> None:
    assert singular(word) == plural(word) == word


@pytest.mark.parametrize("word", ["gas", "canvas", "ramen", "famous", "basis", "hummus", "guest's"])
def test_no_singular_is_cut(word: str) -> None:
    assert singular(word) == word


@pytest.mark.parametrize(
    ("third_person", "plain"),
    [("takes", "take"), ("carries", "carry"), ("teaches", "teach"), ("is", "be"), ("has", "have")],
)
def test_plain_form_of_a_verb(third_person: str, plain: str) -> None:
    assert infinitive(third_person) == plain


def test_word_classes() -> None:
    assert [word_class(w) for w in ("taco", "wood-fired", "quickly", "overlooking")] == [
        "noun",
        "adjective",
        "adverb",
        "verb",
    ]


def test_articles() -> None:
    an = ["hour", "RV site", "onion", "8-foot wall", "18 hole course", "herb garden", "SUV"]
    a = ["user", "unique view", "utility sink", "180 days", "one-bedroom flat", "URL", "US flag"]
    assert {article(phrase) for phrase in an} == {"an"}
    assert {article(phrase) for phrase in a} == {"a"}


def test_real_texts_are_read_fast_and_mostly_praise() -> None:
    path = STAYS / "yelp_academic_dataset_review.json"
    if not path.is_file():
        pytest.skip("the stays collection is not beside the repository")
    with path.open(encoding="utf-8") as file:
        texts = [json.loads(line)["text"] for line, _ in zip(file, range(2000), strict=False)]
    started = time.process_time()
    found = [row for text in texts for row in extract_features(text)]
    assert time.process_time() - started < 4.0
    assert len(found) > len(texts)
    # Guests of these places are content: a share of blame above this means that signs are lost.
    assert sum(row.polarity == "negative" for row in found) < 0.05 * len(found)
