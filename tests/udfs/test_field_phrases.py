"""How fields read that nobody has worded, and how a phrase is negated."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from udfs.rules.fields.phrases import negate, phrase_field


@pytest.mark.parametrize(
    ("field", "parent", "operator", "value", "phrase", "negation"),
    [
        ("fire_pit", "", "=", "true", "has a fire pit", "has no fire pit"),
        ("fire_pit", "", "=", "false", "has no fire pit", "has a fire pit"),
        ("air_conditioning", "", "=", "true", "has air conditioning", "has no air conditioning"),
        ("lockers", "", "=", "true", "has lockers", "has no lockers"),
        ("atm", "", "=", "true", "has an ATM", "has no ATM"),
        ("has_tv", "", "=", "true", "has a TV", "has no TV"),
        ("accepts_walk_ins", "", "=", "true", "accepts walk ins", "does not accept walk ins"),
        ("dogs_allowed", "", "=", "true", "allows dogs", "does not allow dogs"),
        ("permit_required", "", "=", "false", "does not require a permit", "requires a permit"),
        ("ice_for_sale", "", "=", "true", "sells ice", "does not sell ice"),
        ("host_on_site", "", "=", "true", "has a host on site", "has no host on site"),
        ("good_for_kids", "", "=", "true", "is good for kids", "is not good for kids"),
        ("is_dog_friendly", "", "=", "true", "is dog friendly", "is not dog friendly"),
        ("members_only", "", "=", "true", "is for members only", "is not for members only"),
        ("staffed", "", "=", "true", "is staffed", "is not staffed"),
        ("open_24_hours", "", "=", "true", "is open 24 hours", "is not open 24 hours"),
        ("no_pets", "", "=", "true", "has no pets", "has pets"),
        ("has_no_pets", "", "=", "false", "has pets", "has no pets"),
        ("requires_permit", "", "=", "true", "requires a permit", "does not require a permit"),
        ("self_service", "", "=", "true", "has self service", "has no self service"),
        (
            *("can_swim", "", "=", "true"),
            "is a place where you can swim",
            "is no place where you can swim",
        ),
        ("view_lake", "view", "=", "true", "has a lake view", "has no lake view"),
        ("music_no_music", "music", "=", "true", "has no music", "has music"),
        (
            *("activities_swimming", "activities", "=", "true"),
            "has swimming among its activities",
            "does not have swimming among its activities",
        ),
        ("surface", "", "=", "gravel", "has a gravel surface", "does not have a gravel surface"),
        ("toilets", "", "=", "vault", "has vault toilets", "does not have vault toilets"),
        ("toilets", "", "=", "none", "has no toilets", "has toilets"),
        ("managed_by", "", "=", "the_county", "is managed by the county", None),
        ("ages", "", "=", "18plus", "has 18plus as its ages", None),
        ("bedrooms", "", ">=", "3", "has at least 3 bedrooms", "has fewer than 3 bedrooms"),
        ("bedrooms", "", ">=", "1", "has at least 1 bedroom", "has no bedrooms"),
        ("number_of_beds", "", "<=", "2", "has at most 2 beds", "has more than 2 beds"),
        ("length_km", "", ">=", "5", "has a length of at least 5 km", None),
        ("rating", "", ">=", "4.5", "has a rating of at least 4.5", None),
        ("sleeps", "", ">=", "4", "sleeps at least 4", "sleeps fewer than 4"),
        ("attribute_name", "", "=", "blue", "has a blue name", None),
        ("wifi__2", "", "=", "true", "has Wi-Fi", "has no Wi-Fi"),
        ("種類", "", "=", "寿司", "has 寿司 as its 種類", None),
    ],
)
def test_how_fields_read(
    field: str, parent: str, operator: str, value: str, phrase: str, negation: str | None
) -> None:
    phrases = phrase_field(field, parent, operator, value)
    assert phrases.phrase == phrase
    assert negation is None or phrases.negation == negation


names = st.from_regex(r"\A[a-zé0-9]{1,8}(_[a-zé0-9]{1,8}){0,3}(__2)?\Z") | st.just("unnamed")


said = st.text(max_size=6).filter(lambda value: value.replace("_", " ").strip())


@given(names, st.booleans(), st.sampled_from(["=", ">=", "<="]), said)
@settings(max_examples=200, deadline=None)
def test_any_field_reads_as_a_verb_phrase(
    field: str, has_parent: bool, operator: str, value: str
) -> None:
    parent = field.split("_")[0] if has_parent and "_" in field.split("__")[0] else ""
    for phrase in phrase_field(field, parent, operator, value):
        assert phrase.split()[0].endswith("s") and len(phrase.split()) > 1
        assert "_" not in phrase and "  " not in phrase


@pytest.mark.parametrize(
    ("phrase", "negation"),
    [
        ("has a pool", "does not have a pool"),
        ("is open", "is not open"),
        ("takes cards", "does not take cards"),
        ("watches birds", "does not watch birds"),
        ("can be booked", "cannot be booked"),
        ("cannot be booked", "can be booked"),
        ("does not have a pool", "has a pool"),
    ],
)
def test_negate(phrase: str, negation: str) -> None:
    assert negate(phrase) == negation
