"""The seeds agree with each other and with what HeterQA publishes."""

import csv
from collections import defaultdict
from pathlib import Path

import pytest

SEEDS = Path(__file__).resolve().parents[2] / "seeds"

# Attribute leaves of the Yelp Open Dataset, 2022 release, with the relational columns drawn from.
YELP_FIELDS = """
categories is_open stars city state accepts_insurance ages_allowed alcohol byob byob_corkage
bike_parking business_accepts_bitcoin business_accepts_credit_cards by_appointment_only caters
coat_check corkage dogs_allowed drive_thru good_for_dancing good_for_kids happy_hour has_tv
noise_level open_24_hours outdoor_seating restaurants_attire restaurants_counter_service
restaurants_delivery restaurants_good_for_groups restaurants_price_range2 restaurants_reservations
restaurants_table_service restaurants_take_out smoking wheelchair_accessible wifi
business_parking_{garage,street,validated,lot,valet}
ambience_{romantic,intimate,classy,hipster,divey,touristy,trendy,upscale,casual}
good_for_meal_{dessert,latenight,lunch,dinner,brunch,breakfast}
music_{dj,background_music,no_music,jukebox,live,video,karaoke}
best_nights_{monday,tuesday,wednesday,thursday,friday,saturday,sunday}
hair_specializes_in_{straightperms,coloring,extensions,africanamerican,curly,kids,perms,asian}
dietary_restrictions_{dairy_free,gluten_free,vegan,kosher,halal,soy_free,vegetarian}
"""


def rows(name: str) -> list[dict[str, str]]:
    with (SEEDS / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def yelp_fields() -> set[str]:
    fields = set()
    for entry in YELP_FIELDS.split():
        stem, _, leaves = entry.partition("{")
        fields |= {stem + leaf for leaf in leaves.rstrip("}").split(",")} if leaves else {entry}
    return fields


def test_every_yelp_field_has_a_tier_and_phrases() -> None:
    assert yelp_fields() <= {row["field"] for row in rows("field_tiers")}
    assert yelp_fields() <= {row["field"] for row in rows("field_phrases")}


def test_every_rule_has_a_phrase() -> None:
    phrases = {(row["field"], row["operator"], row["value"]) for row in rows("field_phrases")}
    missing = [
        row
        for row in rows("value_rules")
        if (row["field"], row["operator"], row["value"]) not in phrases
        and (row["field"], row["operator"], "*") not in phrases
    ]
    assert missing == []


def test_probabilities_of_a_field_reach_one_at_most() -> None:
    sums: dict[str, float] = defaultdict(float)
    for row in rows("value_rules"):
        sums[row["field"]] += float(row["probability"])
    # Not every published rule sums to one: the rest means that no value is drawn.
    assert {field: total for field, total in sums.items() if not 0 < total <= 1 + 1e-9} == {}


@pytest.mark.parametrize("column", ["phrase", "negation"])
def test_phrases_are_third_person_verb_phrases(column: str) -> None:
    verbs = {row[column].split()[0] for row in rows("field_phrases")}
    assert all(verb.endswith("s") or verb in {"cannot", "can"} for verb in verbs), verbs
    assert all(row[column].strip(" .") == row[column] for row in rows("field_phrases"))


def test_phrases_are_unique_within_an_operator_and_value() -> None:
    keys = [(row["field"], row["operator"], row["value"]) for row in rows("field_phrases")]
    assert len(keys) == len(set(keys))
    assert all(row["phrase"] != row["negation"] for row in rows("field_phrases"))


def test_quotas_are_the_published_ones() -> None:
    quotas = rows("subset_quotas")
    assert len(quotas) == 10
    assert sum(int(row["questions"]) for row in quotas) == 857
    names = {row["source"]: row for row in rows("sources")}
    needed: dict[str, list[str]] = {}
    for row in rows("subset_sources"):
        needed.setdefault(row["subset"], []).append(row["source"])
    assert set(needed) == {row["subset"] for row in quotas}
    for row in quotas:
        sources = [names[source] for source in needed[row["subset"]]]
        assert row["subset"] == "S+" + ",".join(source["letter"] for source in sources)
        words = {source["release_name"] for source in sources}
        assert set(row["release_name"].split("_")) == words


def test_sectors_cover_the_compass() -> None:
    assert [float(row["center_deg"]) for row in rows("spatial_sectors")] == [
        45.0 * step for step in range(8)
    ]
