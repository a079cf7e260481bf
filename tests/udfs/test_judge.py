"""The embedded judge: direction by rules, topic by the model, purity, and quality on real texts."""

from __future__ import annotations

import ast
import csv
import json
import random
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from udfs.contracts.answer import Answer
from udfs.contracts.judgement import Judgement
from udfs.english.negation import negated
from udfs.english.sentences import split_sentences, tokenize
from udfs.profiles.parameters import RuleJudge
from udfs.profiles.profile import load_profile
from udfs.roles.asking import Asking
from udfs.roles.judge import JudgeRequest
from udfs.roles.judge import judge as judge_requests
from udfs.rules.judge.claims import may_contradict, parse_claim
from udfs.rules.judge.evidence import judge_evidence
from udfs.rules.judge.readings import read_sentence
from udfs.warehouse.places import PROFILE_FOLDER, REPO

PROFILE = load_profile(PROFILE_FOLDER / "embedded.yml")
STAYS = REPO.parent / "shared" / "data" / "stays"


def judge(claim: str, evidence: str, task: str = "support") -> Judgement:
    return judge_evidence(task, claim, evidence, PROFILE.judge)


def ask(request: JudgeRequest, parameters: RuleJudge) -> Answer:
    (answer,) = judge_requests([request], parameters, Asking(threads=1))
    return answer


def contradict(claims: list[str], evidence: str) -> Judgement:
    spec = json.dumps({"question": "Where to?", "claims": claims})
    return judge(spec, evidence, "contradiction")


def negated_words(sentence: str) -> list[str]:
    words = tokenize(sentence)
    return [word for word, covered in zip(words, negated(words), strict=True) if covered]


@pytest.mark.parametrize(
    ("sentence", "covered", "free"),
    [
        ("There are no showers.", "showers", ""),
        ("No water, showers or shops, but great views.", "water showers shops", "views"),
        ("Dogs are not allowed, cats are.", "dogs", "cats"),
        ("Trailers, RVs, or buses are not permitted.", "trailers rvs buses", ""),
        ("We don\u2019t take reservations.", "reservations", ""),
        ("No shade in the pool area.", "shade", "pool"),
        ("I looked for a jukebox, there isn't one.", "jukebox", ""),
        ("Trendy? Not at all.", "trendy", ""),
        ("Showers: none", "showers", ""),
        ("They used to have a patio.", "patio", ""),
        ("I wish they had a patio.", "patio", ""),
        ("The sites are too small for RVs.", "rvs", "sites"),
        ("They are sold out of coffee.", "coffee", ""),
        ("Not only clean but quiet.", "", "clean quiet"),
        ("You can't go wrong with the soup.", "", "soup"),
        ("No wonder the patio is full.", "", "patio"),
    ],
)
def test_reach_of_a_negation(sentence, covered, free):
    found = negated_words(sentence)
    assert set(covered.split()) <= set(found)
    assert not set(free.split()) & set(found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  \n ", []),
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("It is 4.5 km from St. Louis. Go.", ["It is 4.5 km from St. Louis.", "Go."]),
        ("first line\nsecond line", ["first line", "second line"]),
        ("静かです。良い店", ["静かです。", "良い店"]),
        ("lower. case next", ["lower.", "case next"]),
    ],
)
def test_sentences(text, expected):
    assert split_sentences(text) == expected


def test_sentences_are_bounded():
    assert len(split_sentences("Yes. " * 1000, max_sentences=60)) == 60
    pieces = split_sentences("word " * 1000, max_chars=400)
    assert max(map(len, pieces)) <= 400
    assert "".join(pieces).replace(" ", "") == "word" * 1000


FOR, AGAINST, OPEN = 1, -1, 0


@pytest.mark.parametrize(
    ("claim", "sentence", "direction"),
    [
        ("It takes reservations.", "We booked a table by phone.", FOR),
        ("It takes reservations.", "They don't take reservations.", AGAINST),
        ("It takes reservations.", "First come, first served.", AGAINST),
        ("It takes reservations.", "We didn't have a reservation.", OPEN),
        ("It does not take reservations.", "They don't take reservations.", FOR),
        ("It does not take reservations.", "First come, first served.", FOR),
        ("It does not take reservations.", "We booked a table by phone.", AGAINST),
        ("It accepts credit cards.", "Cash only!", AGAINST),
        ("It accepts credit cards.", "They took my Visa.", FOR),
        ("It has outdoor seating.", "I wish they had a patio.", AGAINST),
        ("It has outdoor seating.", "I wanted a patio but there is no outdoor seating.", AGAINST),
        ("It is praised for its friendly staff.", "The staff was rude.", AGAINST),
        ("It is praised for its friendly staff.", "Not a friendly waiter in the place.", AGAINST),
        ("It is praised for its friendly staff.", "The whole staff is kind, we love it.", FOR),
        ("It is praised for its coffee.", "The coffee was awful.", AGAINST),
        ("It is praised for its coffee.", "Coffee is served until noon.", OPEN),
        ("It is quiet inside.", "So loud that we had to shout.", AGAINST),
        ("It is loud inside.", "A calm, peaceful room.", AGAINST),
        ("It has showers.", "No showers in winter, showers in summer.", OPEN),
        ("It has a zeppelin hangar.", "There is no zeppelin hangar.", AGAINST),
        ("It has free Wi-Fi.", "Free wi fi in every room.", FOR),
        ("It accepts credit cards.", "No need to bring cash, they run cards.", FOR),
        ("It accepts credit cards.", "You don't have to bring cash.", FOR),
        ("It accepts credit cards.", "They take cards, not only cash.", FOR),
        ("It accepts credit cards.", "They take cards.", FOR),
        ("It accepts credit cards.", "Bring cash, they take no cards.", AGAINST),
        ("It has drinking water.", "No need to bring your own water, there is a spigot.", FOR),
        ("It takes reservations.", "There is no need to book ahead.", OPEN),
        ("It works by appointment only.", "You don't need an appointment.", OPEN),
        ("It works by appointment only.", "Without an appointment they send you away.", OPEN),
        ("It has low or moderate prices.", "It all costs very little.", FOR),
        ("It has low or moderate prices.", "We paid next to nothing.", FOR),
        ("It has low or moderate prices.", "It won't break the bank.", FOR),
        ("It has low or moderate prices.", "Prices are high.", AGAINST),
        ("It has low or moderate prices.", "Prices are on the steep side.", AGAINST),
        ("It is on the expensive side.", "Everything costs very little.", AGAINST),
        ("It is on the expensive side.", "You pay top dollar.", FOR),
        ("It is wheelchair accessible.", "My dad uses a wheelchair and couldn't get in.", OPEN),
        ("It allows dogs.", "You have to leave the dog at home.", AGAINST),
        ("It has vegetarian options.", "My sister eats vegetarian and went hungry.", OPEN),
    ],
)  # fmt: skip
def test_direction_of_a_sentence(claim, sentence, direction):
    reading = read_sentence(parse_claim(claim), sentence)
    assert reading.overlap > 0
    assert reading.direction == direction


@pytest.mark.parametrize(
    ("claim", "sentence", "is_about"),
    [
        ("It has bike parking.", "They have their own parking lot.", False),
        ("It has street parking.", "There is no valet parking.", False),
        ("It has street parking.", "There is no parking at all.", True),
        ("It has table service.", "The service was quick.", False),
        ("It has an average noise level.", "The noise level is low.", False),
        ("It has flush toilets.", "The toilets are clean.", False),
        ("It has flush toilets.", "There are no toilets here.", True),
        ("It is at its best on Thursday nights.", "Saturday nights are best.", False),
        ("It is at its best on Thursday nights.", "Come on a Thursday.", True),
        ("It specializes in curly hair.", "They specialize in hair coloring.", False),
        ("It welcomes casual dress.", "I wore a dress.", False),
        ("It has live music.", "The music was too loud.", False),
        ("It has bike parking.", "You can lock your bike outside.", True),
        ("It has street parking.", "We found a parking meter.", True),
        ("It has valet parking.", "A valet took the car.", True),
        ("It has a parking lot.", "The lot is large.", True),
        ("It has parking.", "There is parking.", True),
        ("It is praised for its service.", "The service was quick.", True),
        ("It has room for RVs up to 30 feet long.", "RVs up to 22 feet long.", False),
        ("It has room for RVs up to 30 feet long.", "We waited 30 minutes.", False),
        ("It has room for RVs up to 30 feet long.", "Any RV of 30 feet.", True),
        ("It is open 24 hours a day.", "Open around the clock.", True),
    ],
)
def test_which_sentences_are_about_a_claim(claim, sentence, is_about):
    assert (read_sentence(parse_claim(claim), sentence).overlap > 0) == is_about


@pytest.mark.parametrize(
    ("claim", "evidence", "verdict", "is_against"),
    [
        ("It takes reservations.", "Nice. We called and they took a reservation.", "yes", False),
        ("It takes reservations.", "Nice. They do not take reservations.", "no", True),
        ("It takes reservations.", "The soup was good.", "no", False),
        ("It takes reservations.", "", "no", False),
        ("It takes reservations.", "No reservations on Friday. They take reservations on Monday.",
         "unresolved", False),
        ("It serves wood-fired pizza.", "Their wood-fired pizza is the best.", "yes", False),
        ("It has drinking water.", "There is no drinking water at this campground.", "no", True),
        ("It sells ice.", "Fresh 寿司 every day 🍣", "no", False),
    ],
)  # fmt: skip
def test_verdict_on_a_text(claim, evidence, verdict, is_against):
    judgement = judge(claim, evidence)
    assert (judgement.verdict, judgement.is_against) == (verdict, is_against)
    assert 0 <= judgement.confidence <= 1
    assert judgement.confidence == round(judgement.confidence, 4)


def test_a_question_says_nothing():
    assert read_sentence(parse_claim("It has a pool."), "Do they have a pool?").overlap == 0


def test_what_shares_no_word_is_not_asked_of_the_model():
    assert judge("It takes reservations.", "The soup was good. We liked it.").tokens == 0


def test_photos_are_read_by_their_caption():
    def on(caption: str | None) -> Judgement:
        claim = "A photo shows a brick fireplace."
        request = JudgeRequest("key", "support", claim, caption, "a.jpg")
        return ask(request, PROFILE.photo_judge).value

    assert on("cozy seats near the brick fireplace").verdict == "yes"
    assert on("a plate of noodles").verdict == "no"
    assert on(None) == on("")
    assert on(None).verdict == "no"


@pytest.mark.parametrize(
    ("claims", "evidence", "verdict"),
    [
        (["It takes reservations."], "Great soup. Sadly they don't take reservations.", "yes"),
        (["It takes reservations."], "We took a reservation. No complaints at all.", "no"),
        (["It takes reservations."], "I have never had better soup.", "no"),
        (["It accepts credit cards.", "It has a TV."], "Bring money, it is cash only.", "yes"),
        (["It is praised for its friendly staff."], "The staff were rude to us.", "yes"),
        (["It does not allow dogs."], "Dogs are welcome, we took ours.", "yes"),
        ([], "They don't take reservations.", "no"),
    ],
)
def test_contradiction(claims, evidence, verdict):
    judgement = contradict(claims, evidence)
    assert judgement.verdict == verdict
    assert judgement.is_against == (verdict == "yes")


@pytest.mark.parametrize(
    "claim",
    [
        "It is rated 4 stars or higher.",
        "It is in Fairhaven.",
        "It is within 3 km of Oak Street Bakery.",
        "It is the nearest one to where I am (41.8021, -87.6312).",
    ],
)
def test_numbers_and_places_are_not_contradicted_by_text(claim):
    assert not may_contradict(claim)
    assert (
        contradict([claim], "It is not in Fairhaven, not 4 stars, no Oak Street.").verdict == "no"
    )


@pytest.mark.parametrize(
    ("task", "claim", "evidence"),
    [
        ("praise", "It is quiet.", "Quiet."),
        (None, "It is quiet.", "Quiet."),
        ("support", "", "Quiet."),
        ("support", None, "Quiet."),
        ("support", "It is quiet.", None),
        ("contradiction", "It is quiet.", "Quiet."),
        ("contradiction", "[]", "Quiet."),
        ("contradiction", '{"claims": "It is quiet."}', "Quiet."),
        ("contradiction", '{"claims": [1]}', "Quiet."),
    ],
)
def test_a_question_that_makes_no_sense_is_an_error(task, claim, evidence):
    answer = ask(JudgeRequest("key", task, claim, evidence), PROFILE.judge)
    assert answer.value is None
    assert answer.error.startswith("failed: ValueError: ")


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60), st.text(max_size=200))
def test_any_claim_and_text_get_a_judgement(claim, evidence):
    if not claim.strip():
        return
    judgement = judge(claim, evidence)
    assert judgement.verdict in ("yes", "no", "unresolved")
    assert 0 <= judgement.confidence <= 1


def test_an_answer_does_not_depend_on_company_order_or_threads():
    claims = ["It takes reservations.", "It has outdoor seating.", "It is quiet inside."]
    texts = [
        "They take reservations and there is a patio. It was loud.",
        "No reservations, no patio. Quiet though, we could talk.",
        "A very long walk by the water led us to the tables outside, where it was calm.",
    ]
    questions = [(claim, text) for claim in claims for text in texts]
    alone = {question: judge(*question) for question in questions}
    for seed in range(3):
        shuffled = random.Random(seed).choices(questions, k=30)
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda question: judge(*question), shuffled))
        assert answers == [alone[question] for question in shuffled]


REAL_CLAIMS = {
    "RestaurantsReservations": "It takes reservations.",
    "RVAllowed": "It allows RVs.",
    "DumpStation": "It has a dump station.",
    "FoodStorageLockers": "It has food storage lockers.",
    "PotableWater": "It has drinking water.",
}


@pytest.mark.skipif(not STAYS.is_dir(), reason=f"the real collection {STAYS} is not here")
def test_verdicts_agree_with_known_values_of_real_places():
    """A yes, and a no that is against, are right for at least .85 of the places with a value."""
    known, texts = _stays()
    right = {"yes": [0, 0], "against": [0, 0]}
    for record_id, fields in sorted(known.items())[::4]:
        for field, value in fields.items():
            judgements = [judge(REAL_CLAIMS[field], text) for text in texts[record_id][:6]]
            says = {
                "yes": any(j.verdict == "yes" for j in judgements),
                "against": any(j.is_against for j in judgements),
            }
            if says["yes"] != says["against"]:
                said = "yes" if says["yes"] else "against"
                right[said][value == (said == "yes")] += 1
    for said, (wrong, correct) in right.items():
        print(said, "right", correct, "wrong", wrong)
        assert correct >= 25
        assert correct / (correct + wrong) >= 0.85, said


def _stays() -> tuple[dict[str, dict[str, bool]], dict[str, list[str]]]:
    """Known values of the claimed fields, and the texts, by record."""
    known: dict[str, dict[str, bool]] = defaultdict(dict)
    texts: dict[str, list[str]] = defaultdict(list)
    with (STAYS / "yelp_academic_dataset_business.json").open(encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            attributes = record["attributes"] or {}
            for field in REAL_CLAIMS.keys() & attributes.keys():
                known[record["business_id"]][field] = ast.literal_eval(attributes[field])
    with (STAYS / "yelp_academic_dataset_tip.json").open(encoding="utf-8") as lines:
        for text in map(json.loads, lines):
            texts[text["business_id"]].append(text["text"])
    return known, texts


def test_every_phrase_of_the_fields_can_be_judged():
    """The claim of each seed row is supported by itself and contradicted by its negation."""
    wrong = []
    with (REPO / "seeds" / "field_phrases.csv").open(encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if "*" not in (row["field"], row["value"])]
    for row in rows:
        claim = parse_claim(f"It {row['phrase']}.")
        same = read_sentence(claim, f"It {row['phrase']}.")
        if (same.overlap, same.direction) != (1.0, FOR):
            wrong.append((row["phrase"], same.direction))
    assert len(rows) > 100
    assert wrong == []
