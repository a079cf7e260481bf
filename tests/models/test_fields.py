"""Attributes as fields, texts as passages: macros against Python, models on odd files."""

from __future__ import annotations

import ast
import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from itertools import zip_longest
from typing import Any

import duckdb
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sample_city import words as city_words
from tests.models.test_seeds import rows, yelp_fields
from tests.support.render import render, render_model
from tests.support.staging import make_seed

Query = Callable[..., Any]

# DuckDB's varchar holds neither zero bytes (as parameters) nor lone surrogates.
characters = st.characters(exclude_characters="\0", exclude_categories=["Cs"])
texts = st.text(characters, max_size=12)


@pytest.fixture(scope="module")
def query() -> Query:
    """Renders a select list, runs it with parameters, returns its one value."""
    connection = duckdb.connect()
    rendered: dict[str, str] = {}

    def run(text: str, *parameters: Any) -> Any:
        sql = rendered.setdefault(text, f"select {render(text)}")
        row = connection.execute(sql, list(parameters)).fetchone()
        assert row is not None
        return row[0]

    return run


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


# Records


def read_attributes(*attributes: Any, vintages: Sequence[str] = ()) -> duckdb.DuckDBPyConnection:
    """A connection with record_attributes of records r0, r1, ... with these attributes."""
    connection = duckdb.connect()
    connection.execute(
        "create table stg_businesses (business_id varchar, vintage varchar, attributes json)"
    )
    make_seed(connection, "attribute_names")
    rows = [
        (f"r{number}", vintage or "current", each if isinstance(each, str) else json.dumps(each))
        for number, (each, vintage) in enumerate(zip_longest(attributes, vintages))
    ]
    connection.executemany("insert into stg_businesses values ($1, $2, $3)", rows)
    for model in ("attribute_leaves", "record_attributes"):
        connection.execute(f"create table {model} as {rendered(model)}")
    return connection


@cache
def rendered(model: str) -> str:
    return render_model(model)


def fields_of(connection: duckdb.DuckDBPyConnection, record_id: str = "r0") -> dict[str, Any]:
    rows = connection.execute(
        "select field, value from record_attributes where record_id = $1", [record_id]
    ).fetchall()
    assert len(rows) == len(dict(rows))
    return dict(rows)


def test_both_vintages_give_the_same_fields() -> None:
    """Today's names and literals in strings; names, typed values and objects as of 2015."""
    literals = {
        "GoodForKids": "True",
        "RestaurantsPriceRange2": "2",
        "Alcohol": "u'none'",
        "NoiseLevel": "'Average'",
        "Smoking": "None",
        "WiFi": "u'free'",
        "BusinessParking": "{'garage': False, u'lot': True, 'valet': None}",
    }
    typed = {
        "Good for Kids": True,
        "Price Range": 2,
        "Alcohol": "none",
        "Noise Level": "average",
        "Smoking": None,
        "Wi-Fi": "free",
        "Parking": {"garage": False, "lot": True, "valet": None},
    }
    connection = read_attributes(literals)
    of_2015 = read_attributes(typed, vintages=["2015"])
    assert fields_of(connection) == fields_of(of_2015)
    assert fields_of(connection)["restaurants_price_range2"] == "2"
    assert fields_of(connection)["business_parking_lot"] == "true"


def test_names_of_2015_are_translated_in_that_vintage_only() -> None:
    """Another collection may have a `Parking` of its own; all names lead to fields of Yelp."""
    assert fields_of(read_attributes({"Parking": True})) == {"parking": "true"}
    names = {row["attribute_of_vintage"]: row["attribute"] for row in rows("attribute_names")}
    fields = yelp_fields()
    for old, name in names.items():
        (field,) = fields_of(read_attributes({old: True}, vintages=["2015"]))
        assert field == city_words.field_name(name)
        assert any(each == field or each.startswith(f"{field}_") for each in fields), old
    both = read_attributes({"Wi-Fi": "no"}, {"Wi-Fi": "free"}, vintages=["current", "2015"])
    assert fields_of(both, "r0") == {"wi_fi": "no"}
    assert fields_of(both, "r1") == {"wifi": "free"}


def test_columns_of_records_keep_their_names() -> None:
    attributes = {"name": "x", "City": "y", "attribute_city": "z", "Stars": 3, "select": "s"}
    assert fields_of(read_attributes(attributes)) == {
        "attribute_name": "x",
        "attribute_city": "y",
        "attribute_city__2": "z",
        "attribute_stars": "3",
        "select": "s",
    }


def test_keys_that_look_like_paths_or_repeat() -> None:
    attributes = (
        '{"$.x": 1, "/0": 2, "a~b/c": "{\'d\': True}", "t": 1, "t": 2, "A.b": 3, "A": {"b": 4}}'
    )
    assert fields_of(read_attributes(attributes)) == {
        "x": "1",
        "0": "2",
        "a_b_c_d": "true",
        "t": "1",
        "a_b": "4",
        "a_b__2": "3",
    }


def test_no_key_is_lost() -> None:
    """Hundreds of keys, deep and wide, each with a column of its own in records."""
    deep: Any = True
    for _ in range(400):
        deep = {"in": deep}
    attributes = {f"Key{number} ü": number for number in range(500)} | {"deep": deep}
    connection = read_attributes(attributes, {}, "null")
    fields = fields_of(connection)
    assert len(fields) == 501
    assert fields["key499_ü"] == "499"
    (deepest,) = [name for name in fields if name.startswith("deep")]
    assert len(deepest.split("_")) < 12 and "true" in fields[deepest]
    connection.execute(
        "alter table stg_businesses add column name varchar;"
        "alter table stg_businesses add column address varchar;"
    )
    for column in ("city", "state", "postal_code", "is_open"):
        connection.execute(f"alter table stg_businesses add column {column} varchar")
    for column in ("latitude", "longitude", "stars", "review_count"):
        connection.execute(f"alter table stg_businesses add column {column} double")
    connection.execute("alter table stg_businesses add column categories varchar[]")
    connection.execute(f"create table records as {render_model('records')}")
    row = connection.execute('select "key7_ü", count(*) over () from records order by 1').fetchone()
    assert row == ("7", 3)


any_json = st.recursive(
    scalars | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(st.dictionaries(texts, any_json, max_size=4), min_size=1, max_size=3))
def test_any_attributes_are_read(records: list[dict[str, Any]]) -> None:
    """Every leaf arrives once: no key is lost, no name is given twice in a record."""
    connection = read_attributes(*records)
    for number, attributes in enumerate(records):
        assert len(fields_of(connection, f"r{number}")) == sum(
            map(count_leaves, attributes.values())
        )


def count_leaves(value: Any) -> int:
    """Leaves of a JSON value; a text that Python or JSON reads as a dict counts as that dict."""
    if isinstance(value, str) and value.strip().startswith("{"):
        try:
            value = ast.literal_eval(value.strip())
        except (ValueError, SyntaxError):
            return 1
    if isinstance(value, dict) and value:
        return sum(count_leaves(inner) for inner in value.values())
    return 1


# Texts


@pytest.mark.parametrize(
    ("content", "clean"),
    [
        (" a\r\nb\rc\x00\x07\ufeff\t", "a\nb\nc"),
        ("Cafe\u0301", "Café"),
        ("&amp; <br/> ✨ 木", "&amp; <br/> ✨ 木"),
        ("write to Jo.e+x@ex-ample.co.uk.", "write to [e-mail]."),
        ("ask zoë@müller.de, jo@x.org", "ask [e-mail], [e-mail]"),
        (
            "2 tacos @ 3.50, @home, a@b, see you @ x.org",
            "2 tacos @ 3.50, @home, a@b, see you @ x.org",
        ),
        ("\t\n ", ""),
        (None, None),
    ],
)
def test_clean_text(query: Query, content: str | None, clean: str | None) -> None:
    assert query("{{ clean_text('$1') }}", content) == clean


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_clean_texts_are_clean(query: Query, content: str) -> None:
    clean = query("{{ clean_text('$1') }}", content.replace("\0", "\x01"))
    kept = [c for c in clean if unicodedata.category(c) == "Cc"]
    assert set(kept) <= {"\n", "\t"} and clean == clean.strip(" \t\n")
    assert unicodedata.is_normalized("NFC", clean) or not clean.isascii()
    assert query("{{ clean_text('$1') }}", clean) == clean


def passages_of(*contents: str, most: int = 900) -> list[list[str]]:
    connection = duckdb.connect()
    connection.execute(
        "create table texts (text_id varchar, record_id varchar, content varchar,"
        " is_empty boolean, is_duplicate boolean)"
    )
    connection.executemany(
        "insert into texts values ($1, 'r1', $2, false, false)",
        [(str(number), content) for number, content in enumerate(contents)],
    )
    sql = render_model("passages", passage_max_bytes=most)
    rows = connection.execute(
        f"select text_id, passage_number, content from ({sql}) order by 1, 2"
    ).fetchall()
    found: list[list[str]] = [[] for _ in contents]
    for text_id, number, content in rows:
        found[int(text_id)].append(content)
        assert number == len(found[int(text_id)])
    return found


sentences = st.lists(
    st.builds(
        lambda words, end: " ".join(words) + end,
        st.lists(
            st.sampled_from(["soup", "木", "наш", "é", "w" * 70, "3.5"]), min_size=1, max_size=40
        ),
        st.sampled_from([". ", "! ", "\n", "。", '." ', " "]),
    ),
    min_size=1,
    max_size=30,
)


@given(sentences)
def test_passages_hold_the_whole_text(parts: list[str]) -> None:
    content = "".join(parts).strip()
    (passages,) = passages_of(content)
    assert re.sub(r"\s", "", "".join(passages)) == re.sub(r"\s", "", content)
    assert all(0 < len(passage.encode()) <= 1000 for passage in passages)
    if len(content.encode()) <= 900:
        assert passages == [content]
    else:
        assert len(passages) > 1


def test_passages_end_where_sentences_do() -> None:
    content = " ".join(f"Sentence number {number} says a little of this." for number in range(60))
    (passages,) = passages_of(content)
    assert len(passages) == 5
    assert all(passage.startswith("Sentence") and passage.endswith(".") for passage in passages)
    lengths = [len(passage) for passage in passages]
    assert max(lengths) - min(lengths) < 60
