"""Names and values of attributes: macros against Python."""

from __future__ import annotations

import ast
import json
import unicodedata
from collections.abc import Callable
from typing import Any

import duckdb
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sample_city import words as city_words
from tests.models.test_seeds import yelp_fields
from tests.support.render import render

Query = Callable[..., Any]

# DuckDB's varchar holds neither zero bytes (as parameters) nor lone surrogates.
characters = st.characters(exclude_characters="\0", exclude_categories=["Cs"])
texts = st.text(characters, max_size=12)


# Names


@pytest.mark.parametrize(
    ("key", "field"),
    [
        ("WiFi", "wifi"),
        ("RestaurantsPriceRange2", "restaurants_price_range2"),
        ("BusinessAcceptsCreditCards", "business_accepts_credit_cards"),
        ("Ambience.casual", "ambience_casual"),
        ("BYOB", "byob"),
        ("BYOBCorkage", "byob_corkage"),
        ("HasTV", "has_tv"),
        ("Music.dj", "music_dj"),
        ("DJ", "dj"),
        ("Open24Hours", "open_24_hours"),
        ("HairSpecializesIn.africanamerican", "hair_specializes_in_africanamerican"),
        ("DietaryRestrictions.dairy-free", "dietary_restrictions_dairy_free"),
        ("Music.no_music", "music_no_music"),
        ("Horseback Riding", "horseback_riding"),
        ("Good For Kids?", "good_for_kids"),
        ('it\'s "so".so', "it_s_so_so"),
        ("24HourAccess", "24_hour_access"),
        ("CaféType", "café_type"),
        ("Cafe\u0301Type", "café_type"),
        ("Über Straße", "über_straße"),
        ("種類", "種類"),
        ("हिन्दी नाम", "हिन्दी_नाम"),
        ("x" * 200, "x" * 120),
        ("--", "unnamed"),
        ("", "unnamed"),
        (None, None),
    ],
)
def test_field_name(query: Query, key: str | None, field: str | None) -> None:
    assert query("{{ field_name('$1') }}", key) == field


# What a newer Unicode assigns, DuckDB may know before Python does.
@given(
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs", "Cn"]), max_size=12)
)
def test_any_key_has_a_name(query: Query, key: str) -> None:
    """Letters and digits in lower case, single underscores between, the same when named again."""
    name = query("{{ field_name('$1') }}", key)
    letters = [c for c in name if unicodedata.category(c)[0] in "LMN"]
    assert name and set(name) <= {*letters, "_"}
    assert "__" not in name and name.strip("_") == name
    assert query("{{ field_name('$1') }}", name) == name or not name.isascii()


def test_all_fields_of_yelp() -> None:
    """Yelp's attributes, as the sample city spells them, are the fields that the seeds know."""
    keys = [
        f"{field.attribute}.{field.leaf}" if field.leaf else field.attribute
        for field in city_words.read_fields()
    ]
    name = render("{{ field_name('key') }}")
    rows = duckdb.execute(f"select {name} from (select unnest($1) as key)", [keys]).fetchall()
    names = {name for (name,) in rows}
    assert names == yelp_fields() - {"categories", "is_open", "stars", "city", "state"}


# Values


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("u'free'", "free"),
        ("'Free'", "free"),
        ('u"don\'t know"', "don't know"),
        ("u'don\\'t'", "don't"),
        ("'caf\\xe9'", "café"),
        ("True", "true"),
        ("None", None),
        ("'none'", "none"),
        ("u'none'", "none"),
        ("''", None),
        ("  ", None),
        ("null", None),
        ("{}", None),
        ("[]", None),
        (None, None),
        ("2", "2"),
        ("2.0", "2"),
        ("-3.00", "-3"),
        ("2.50", "2.50"),
        ("1.0.0", "1.0.0"),
        ("ürün", "ürün"),
        ("two\n lines", "two lines"),
        ("'", "'"),
        ("u'cut", "u'cut"),
        ("'a' or 'b'", "'a' or 'b'"),
        ("'\\ud800'", "'\\ud800'"),
    ],
)
def test_leaf_value(query: Query, raw: str | None, value: str | None) -> None:
    assert query("{{ leaf_value('$1') }}", raw) == value


def printed(value: Any) -> Any:
    """What Python prints for a value, as Python 2 and 3 did and with either quote."""
    plain = repr(value)
    return st.sampled_from([plain, plain.replace("{'", "{u'").replace(": '", ": u'")])


scalars = st.none() | st.booleans() | st.integers(-(2**40), 2**40) | texts
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(texts, values, max_size=4).flatmap(printed))
@example("{'garage': False, u'Ünter': 'True', \"it's\": None, 'a': \"b'\", 'c': '\"d\"'}")
@example("{'tail': [1, 2,], 'pair': ('x', True),}")
def test_printed_dicts_are_read(query: Query, text: str) -> None:
    """The same dict as ast.literal_eval reads."""
    expected = json.loads(json.dumps(ast.literal_eval(text)))
    assert json.loads(query("{{ dictionary('$1') }}", text)) == expected


literal_parts = st.sampled_from(
    [*"{}[]():,'\"\\ ", "u'", "'a'", '"b"', "True", "None", "False", "1", "x", "': ", "\\'", "é"]
)


@given(st.lists(literal_parts, max_size=10).map(lambda parts: "{" + "".join(parts)))
@example("{'a': 1'}")
@example("{'a': 'b}")
@example("{'casual': Tr")
@example("{'a': b}")
def test_broken_dicts_stay_text(query: Query, text: str) -> None:
    """What is read as a dict is that dict to Python or to JSON; all else is left alone."""
    read = query("{{ dictionary('$1') }}", text)
    if read is None:
        return
    try:
        expected = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        expected = json.loads(
            text.replace("True", "true").replace("False", "false").replace("None", "null")
        )
    assert json.loads(read) == json.loads(json.dumps(expected))


@given(texts.flatmap(printed) | texts.map(lambda text: json.dumps(text, ensure_ascii=False)))
def test_quoted_strings_are_read(query: Query, literal: str) -> None:
    assert query("{{ unquoted('$1') }}", literal) == ast.literal_eval(literal)
