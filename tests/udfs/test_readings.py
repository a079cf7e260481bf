"""What a sentence says of a claim: whether it is about the claim, and in which direction."""

from __future__ import annotations

import csv

import pytest

from udfs.rules.judge.claims import parse_claim
from udfs.rules.judge.readings import read_sentence
from udfs.warehouse.places import REPO

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
