"""The embedded judge: direction by rules, topic by the model, purity, and quality on real texts."""

from __future__ import annotations

import ast
import json
import random
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from udfs.contracts.answer import Answer
from udfs.contracts.judgement import Judgement
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
