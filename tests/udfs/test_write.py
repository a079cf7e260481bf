"""What the writer may say, and what it must not."""

import json
import random
import re
from pathlib import Path

import duckdb
import pytest

from tests.support.render import render
from udfs.english import SMALL_WORDS_SEED
from udfs.english.word_lists import SMALL_WORDS, load
from udfs.rules.writer.constraint import write_constraint
from udfs.rules.writer.nouns import noun_phrase, plural_phrase
from udfs.rules.writer.question import write_question

STAYS = Path(__file__).resolve().parents[3] / "shared" / "data" / "stays"


@pytest.mark.parametrize(
    ("source", "evidence", "phrase"),
    [
        ("text", "We shared a wood-fired pizza on the deck.", "serves wood-fired pizza"),
        ("text", "The heated outdoor pool was lovely.", "has a heated outdoor pool"),
        ("text", "The staff were so friendly!", "is praised by guests for its friendly staff"),
        ("text", "We had homemade pasta and it was great.", "serves homemade pasta"),
        ("photo", "Brick fireplace in the back room", "has photos showing a brick fireplace"),
        ("photo", "Stack of blueberry pancakes", "has photos showing blueberry pancakes"),
        ("photo", "Exposed brick walls", "has photos showing brick walls"),
        ("photo", "Picnic tables", "has photos showing picnic tables"),
        (
            "photo",
            "A picnic table and a fire ring at dusk.",
            "has photos showing a picnic table and fire ring",
        ),
        ("photo", "Wooden benches beside an old stone wall", "has photos showing"),
    ],
)
def test_constraints(source: str, evidence: str, phrase: str) -> None:
    constraint = write_constraint(source, evidence, "")
    assert constraint is not None
    assert constraint.phrase.startswith(phrase)
    assert constraint.sentence == evidence
    assert constraint.claim.endswith(".")


@pytest.mark.parametrize(
    ("source", "evidence", "avoid"),
    [
        ("text", "There is no heated pool.", ""),
        ("text", "Is there a heated pool?", ""),
        ("text", "I wish they had a heated pool.", ""),
        ("text", "The bakery nearby has a brick oven.", ""),
        ("text", "Great place, we will be back!", ""),
        ("text", "Our room had thin walls.", ""),
        ("text", "They left a flat bicycle tire.", ""),
        ("text", "They serve store-bought bread.", ""),
        ("text", "It has limited parking.", ""),
        ("text", "You will love good rain gear and a warm coat here.", ""),
        ("text", "Das Zimmer hat einen schönen Balkon und ist sehr ruhig.", ""),
        ("text", "The brick fireplace is lovely.", "Brick Lane Cafe, Cafes"),
        ("photo", "The Brick Fireplaces. The Brick Fireplaces", "Fireplace Inn"),
        ("photo", "A young woman with a dog", ""),
        ("photo", "", ""),
        ("photo", "12345", ""),
    ],
)
def test_nothing_rather_than_nonsense(source: str, evidence: str, avoid: str) -> None:
    assert write_constraint(source, evidence, avoid) is None


CAPTIONS = [
    f"{opening}{thing}{place}"
    for opening in ("", "A ", "Our ", "The ")
    for thing in ("brick fireplace", "wooden lobster trap", "salt lamp", "blue glass sculpture")
    for place in ("", " by the window", " on a wooden table", " with a striped awning")
]


@pytest.mark.parametrize("source", ["text", "photo"])
def test_no_whole_caption_is_repeated(source: str) -> None:
    written = 0
    for caption in CAPTIONS:
        constraint = write_constraint(source, caption, "")
        words = re.findall(r"\w+", caption.lower())
        if constraint is None or len(words) < 3:
            continue
        written += 1
        said = [word for word in constraint.phrase.split() if word not in SMALL_WORDS]
        content = [word for word in words if word not in SMALL_WORDS]
        assert " ".join(content) not in " ".join(said), (caption, constraint.phrase)
    assert written >= (15 if source == "text" else 30)


def test_small_words_are_those_of_the_audits() -> None:
    query = render("select {{ content_words('$1', '$2') }}")
    small_words = duckdb.read_csv(str(SMALL_WORDS_SEED)).fetchall()
    assert {word for (word,) in small_words} == SMALL_WORDS
    words = [*sorted(SMALL_WORDS), "brick"]
    assert duckdb.execute(query, [words, sorted(SMALL_WORDS)]).fetchall() == [(["brick"],)]


@pytest.mark.parametrize(
    ("caption", "phrase", "is_quote"),
    [
        ("Stack of blueberry pancakes", "has photos showing a stack of blueberry pancakes", True),
        ("Our brick fireplace", "has photos showing a brick fireplace", True),
        ("Stack of blueberry pancakes", "has photos showing blueberry pancakes", False),
        ("Brick walls and a fireplace", "has photos showing brick walls", False),
        ("Picnic tables", "has photos showing picnic tables", False),
        ("", "has photos showing picnic tables", False),
    ],
)
def test_the_audits_know_a_quote(caption: str, phrase: str, is_quote: bool) -> None:
    spaced = "{{ spaced_words(words('$1'), '$3') }}"
    whole = "{{ whole_origin(words('$2'), '$3', gap='') }}"
    query = render(f"select coalesce({spaced} like {whole}, false)")
    assert duckdb.execute(query, [phrase, caption, sorted(SMALL_WORDS)]).fetchall() == [(is_quote,)]


def test_unknown_source_is_an_error() -> None:
    with pytest.raises(ValueError, match="neither"):
        write_constraint("graph", "A pool.", "")


@pytest.mark.parametrize(
    ("source", "name", "field"),
    [
        ("text", "yelp_academic_dataset_review.json", "text"),
        ("text", "yelp_academic_dataset_tip.json", "text"),
        ("photo", "photos.json", "caption"),
    ],
)
def test_real_evidence_gives_clean_constraints(source: str, name: str, field: str) -> None:
    if not (STAYS / name).is_file():
        pytest.skip("the stays collection is not beside the repository")
    with (STAYS / name).open(encoding="utf-8") as file:
        texts = [json.loads(line)[field] for line, _ in zip(file, range(1500), strict=False)]
    written = [(text, c) for text in texts if (c := write_constraint(source, text, ""))]
    assert len(written) > 0.1 * len(texts)
    for text, constraint in written:
        assert re.fullmatch(r"[a-z][a-z' -]+", constraint.phrase), constraint
        assert len(constraint.phrase) <= 140
        words = re.findall(r"\w+", text.lower())
        runs = {tuple(words[i : i + 6]) for i in range(len(words) - 5)}
        for said in (constraint.phrase, constraint.claim):
            tokens = re.findall(r"\w+", said.lower())
            assert not runs & {tuple(tokens[i : i + 6]) for i in range(len(tokens) - 5)}


# -- questions -------------------------------------------------------------------------------------

FIELDS = [
    "is in Fairhaven",
    "is rated 4 stars or higher",
    "has free Wi-Fi",
    "takes reservations",
    "does not allow smoking",
    "has no TV",
    "specializes in perms",
    "is good for kids",
]
SOURCES = [
    "serves wood-fired pizza",
    "is praised by guests for its friendly staff",
    "has photos showing a picnic table and a fire ring",
    "is within 3 km of Oak Street Bakery",
    "is the nearest one to where I am (41.8021, -87.6312)",
    "is praised for its quiet atmosphere but not for its slow service",
]
CATEGORIES = [
    ["Mexican", "Restaurants"],
    ["Coffee & Tea", "Bakeries"],
    ["Campgrounds", "Hotels & Travel"],
    ["Ærø Weaving"],
    ["Bookstores"],
    [],
]
STOP_WORDS = "is has a an the it its to for in of or and one i am not does no by where"


def specs(count: int) -> list[dict[str, list[str] | list[float]]]:
    generator = random.Random(5)
    return [
        {
            "categories": generator.choice(CATEGORIES),
            "field_phrases": generator.sample(FIELDS, generator.choice([1, 2, 3])),
            "source_phrases": generator.sample(SOURCES, generator.choice([1, 2])),
            "draws": [generator.random() for _ in range(5)],
        }
        for _ in range(count)
    ]


def forms(word: str) -> set[str]:
    """The word as it may stand after "that", after a plural or after "should"."""
    return {word, word.removesuffix("s"), word.removesuffix("es")}


@pytest.mark.parametrize("spec", specs(200))
def test_questions_say_everything_in_one_sentence(spec: dict[str, list[str]]) -> None:
    question = write_question(json.dumps(spec))
    said = set(re.findall(r"[\w.]*\w", question.lower()))
    for phrase in (*spec["field_phrases"], *spec["source_phrases"], *spec["categories"]):
        words = set(re.findall(r"[\w.]*\w", phrase.lower())) - set(STOP_WORDS.split())
        if phrase in ("Restaurants", "Hotels & Travel"):
            continue  # goes without saying beside "Mexican" and "Campgrounds"
        if phrase in spec["categories"]:
            words = {word[:4] for word in words}
            assert all(any(token.startswith(w) for token in said) for w in words), question
        else:
            assert all(forms(word) & said for word in words), (phrase, question)
    assert question[0].isupper()
    assert question[-1] in "?."
    assert len(re.findall(r"[?.](?:\s|$)", question)) == 1
    assert not re.search(r"\b[Aa] [aeio]\w|\b[Aa]n [^aeiouhæ8RF]|  |\{|\}| ,", question), question
    assert 8 <= len(question.split()) <= 70


def test_questions_are_a_function_of_their_spec() -> None:
    first = [write_question(json.dumps(spec)) for spec in specs(20)]
    assert first == [write_question(json.dumps(spec)) for spec in specs(20)]


def test_draws_vary_the_wording() -> None:
    spec = {"categories": ["Bookstores"], "field_phrases": FIELDS[:3]}
    spec["source_phrases"] = SOURCES[:1]
    generator = random.Random(1)
    asked = {
        write_question(json.dumps(spec | {"draws": [generator.random() for _ in range(5)]}))
        for _ in range(300)
    }
    openings = {" ".join(question.split()[:2]) for question in asked}
    assert len(asked) > 100
    assert len(openings) >= 14
    assert len(load("frames.yml")["frames"]) >= 14


@pytest.mark.parametrize("draws", [[0.0] * 5, [0.999999] * 5])
def test_extreme_draws(draws: list[float]) -> None:
    for fields, sources in ((["takes reservations"], []), ([], ["is in Fairhaven"]), ([], [])):
        spec = {"categories": ["Food"], "field_phrases": fields, "source_phrases": sources}
        question = write_question(json.dumps(spec | {"draws": draws}))
        assert question[-1] in "?."
        assert "food" in question


def test_a_collection_has_its_own_noun() -> None:
    assert noun_phrase(["Hiking", "Alpine"], "trail") == ("trail", "for hiking listed under Alpine")
    assert noun_phrase([], "trail") == ("trail", "")
    spec = {"categories": ["Alpine"], "field_phrases": ["is easy"], "source_phrases": []}
    question = write_question(json.dumps(spec | {"noun": "trail", "draws": [0.3] * 5}))
    assert "trail listed under Alpine" in question and "place" not in question


def test_a_spec_without_anything_is_an_error() -> None:
    spec = {"categories": [], "field_phrases": [], "source_phrases": [], "draws": [0.1] * 5}
    with pytest.raises(ValueError, match="needs"):
        write_question(json.dumps(spec))


@pytest.mark.parametrize(
    ("categories", "noun", "after"),
    [
        (["Mexican", "Restaurants"], "Mexican restaurant", ""),
        (["Restaurants", "Food"], "restaurant and food spot", ""),
        (["Bakeries", "Food"], "bakery", ""),
        (["Stargazing", "Parks"], "park", "for stargazing"),
        (["Junior Ranger Program"], "place", "listed under Junior Ranger Program"),
        (["Hat Shops"], "hat shop", ""),
        ([], "place", ""),
    ],
)
def test_nouns_for_categories(categories: list[str], noun: str, after: str) -> None:
    assert noun_phrase(categories) == (noun, after)


def test_plurals() -> None:
    assert plural_phrase("bakery and cafe in Fairhaven") == "bakeries and cafes in Fairhaven"
    assert plural_phrase("arts and crafts store") == "arts and crafts stores"
    assert plural_phrase("place listed under Zoos") == "places listed under Zoos"
