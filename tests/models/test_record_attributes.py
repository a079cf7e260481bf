"""Attributes of records as fields: the models on odd files of two vintages."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from functools import cache
from itertools import zip_longest
from typing import Any

import duckdb
from hypothesis import given
from hypothesis import strategies as st

from sample_city import words as city_words
from tests.models.test_seeds import rows, yelp_fields
from tests.support.render import render_model
from tests.support.staging import make_seed

# DuckDB's varchar holds neither zero bytes (as parameters) nor lone surrogates.
characters = st.characters(exclude_characters="\0", exclude_categories=["Cs"])
texts = st.text(characters, max_size=12)


scalars = st.none() | st.booleans() | st.integers(-(2**40), 2**40) | texts


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
