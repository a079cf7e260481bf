"""The catalogue of a collection's fields, and how fields read that nobody has worded."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagster_defs.inputs.field_catalog import read_field_rules, write_field_rules
from udfs.rules.fields.phrases import negate, phrase_field
from udfs.warehouse.errors import UserError
from udfs.warehouse.settings import Settings

HEADER = "field,tier,weight,operator,value,probability,phrase,negation\n"


def catalogue(tmp_path: Path, *lines: str, header: str = HEADER) -> Path:
    path = tmp_path / "field_catalog.csv"
    path.write_text(header + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_lines_are_completed(tmp_path: Path) -> None:
    path = catalogue(
        tmp_path,
        "*,,,,,,trail,",
        "dogs,high_value,1.2,,,,lets dogs run,",
        "length_km,core,,>=,,,is at least {value} km long,is under {value} km long",
        "surface,,,,Gravel,0.5,has gravel,",
        "surface,,,=,*,,is of {value},is not of {value}",
        "categories,,,,Loop,,is a loop,",
        "",
        "pool,supplementary,2",
    )
    rules = read_field_rules(path)
    assert [
        (r.field, r.tier, r.weight, r.operator, r.value, r.probability, r.phrase, r.negation)
        for r in rules
    ] == [
        ("*", None, None, None, None, None, "trail", None),
        ("dogs", "high_value", 1.2, "=", "true", 1, "lets dogs run", "does not let dogs run"),
        (
            *("length_km", "core", None, ">=", "*", 1),
            *("is at least {value} km long", "is under {value} km long"),
        ),
        ("surface", None, None, "=", "gravel", 0.5, "has gravel", "does not have gravel"),
        ("surface", None, None, "=", "*", 1, "is of {value}", "is not of {value}"),
        ("categories", None, None, "contains", "Loop", 1, "is a loop", "is not a loop"),
        ("pool", "supplementary", 2, None, None, None, None, None),
    ]
    assert [rule.line_number for rule in rules] == [2, 3, 4, 5, 6, 7, 9]


def test_only_the_field_is_needed(tmp_path: Path) -> None:
    (rule,) = read_field_rules(catalogue(tmp_path, "zoë", header="\ufefffield\n"))
    assert (rule.field, rule.tier, rule.value, rule.line_number) == ("zoë", None, None, 2)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (",core", "line 2: has no field"),
        ("Length Km", "line 2: 'Length Km' is no field; write it as"),
        ("Ambience.casual", "line 2: 'Ambience.casual' is no field"),
        ("pool,main", "line 2: the tier 'main' is none of core, high_value, supplementary"),
        ("pool,core,heavy", "line 2: the weight 'heavy' is not a number above 0"),
        ("pool,core,-1", "line 2: the weight '-1' is not a number above 0"),
        ("pool,core,nan", "line 2: the weight 'nan' is not a number above 0"),
        ("pool,core,1,>", "line 2: the operator '>' is none of = >= <= contains"),
        ("size,core,1,>=,big", "line 2: 'big' is not a number, as >= needs"),
        ("pool,core,1,=,true,1.5", "line 2: the probability '1.5' is not a number above 0 and at"),
        ("pool,core,1,=,true,1,a pool", "line 2: the phrase 'a pool' has to complete"),
        ("pool,core,1,=,true,1,has a pool.", "line 2: the phrase 'has a pool.' has to complete"),
        ("size,,,>=,,,is long", "line 2: the phrase 'is long' is for any value and lacks {value}"),
        ("size,,,,,,is {value} or {more},", "line 2: the phrase 'is {value} or {more}' may hold"),
        ("pool,,,,,,,has none", "line 2: has a negation and no phrase"),
        ("*,,,,,,,", "line 2: has no phrase: the field * wants the word for a record"),
        ("pool,,,,,,,,more", "line 2: has more values than the first line has columns"),
        (
            "pool,core\npool,supplementary",
            "line 3: the tier of 'pool' is supplementary and core in",
        ),
        ("pool,,,=,true\npool,,,=,True", "line 3: repeats line 2"),
        ("*,,,,,,trail\n*,,,,,,path", "line 3: the phrase of '*' is path and trail in line 2"),
        ('pool,"cor', "line 2: is not CSV"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(line: str, sentence: str, tmp_path: Path) -> None:
    path = catalogue(tmp_path, line)
    with pytest.raises(UserError) as raised:
        read_field_rules(path)
    assert str(raised.value).startswith(f"{path}, {sentence}")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("header", ["name,tier\n", "field,teir\n", "tier\n", "field,field\n"])
def test_wrong_columns_are_named(header: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"line 1: .*the columns are field, tier, weight"):
        read_field_rules(catalogue(tmp_path, "pool,core", header=header))


def test_a_file_that_is_not_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "field_catalog.csv"
    path.write_bytes(b"field\ncaf\xe9\n")
    with pytest.raises(UserError, match=r"field_catalog\.csv cannot be read as UTF-8 text"):
        read_field_rules(path)


def test_where_the_catalogue_lies(tmp_path: Path) -> None:
    environ = {"HETERQA_WAREHOUSE": str(tmp_path / "warehouse"), "HETERQA_DATA": str(tmp_path)}
    (tmp_path / "warehouse").mkdir()
    assert write_field_rules(Settings.from_env(environ)) == []
    assert Settings.from_env(environ).field_rules_path.read_bytes() == b""

    catalogue(tmp_path, "beside")
    assert [rule.field for rule in write_field_rules(Settings.from_env(environ))] == ["beside"]

    other = catalogue(tmp_path / "warehouse", "named")
    named = Settings.from_env(environ | {"HETERQA_FIELDS": str(other)})
    assert [rule.field for rule in write_field_rules(named)] == ["named"]
    assert Settings.from_env(named.to_env()) == named

    other.unlink()
    with pytest.raises(UserError, match="HETERQA_FIELDS: there is no file"):
        write_field_rules(named)


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
