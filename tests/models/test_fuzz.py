"""2,000 broken lines a file: no build dies of them, and no good line suffers."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable
from typing import Any

import duckdb
import pytest

from tests.support.render import render_model
from tests.support.staging import (
    MODELS,
    accepted,
    collection,
    make,
    make_seed,
    rejected,
    rows,
    stage,
)
from udfs.functions import functions, register
from udfs.profiles.profile import EMBEDDED, load_profile
from udfs.roles.asking import Asking

MUTATED, GOOD = 2000, 1000
LONG = b"x" * (1 << 20)
SOURCES = [
    "attribute_leaves", "record_attributes", "record_fields", "records", "record_categories",
    "passages", "photos", "field_profiles", "field_rules", "field_catalog",
]  # fmt: skip
SEEDS = ["attribute_names", "value_rules", "field_phrases", "field_tiers"]
Line = bytes
Mutation = Callable[[random.Random, dict[str, Any]], Line]


def good_row(name: str, number: int) -> dict[str, Any]:
    """A row with a bit of everything that JSON escapes."""
    content = f'Zoë {number}: "fine"\n\t寿司 \\ \u2028 🍣 </b> & \u00a0'
    business = {"business_id": "b0"}
    own: dict[str, dict[str, Any]] = {
        "business": {
            "business_id": f"b{number}",
            "name": f"Zoë's {number}",
            "latitude": 50.5,
            "longitude": -70,
            "categories": "A, B",
            "attributes": {"WiFi": "u'free'", "Ambience": "{'casual': True}"},
            "is_open": 1,
        },
        "review": business
        | {"review_id": f"v{number}", "user_id": "u1", "stars": 4.0, "text": content},
        "tip": business | {"user_id": f"u{number}", "text": content, "date": "2020-01-02 03:04:05"},
        "user": {"user_id": f"u{number}", "review_count": number, "friends": "u1, u2"},
        "checkin": {"business_id": f"b{number}", "date": "2020-01-02 03:04:05"},
        "photos": business | {"photo_id": f"p{number}", "caption": content, "label": "food"},
    }
    return own[name]


def dump(row: dict[str, Any], **options: Any) -> Line:
    return json.dumps(row, ensure_ascii=False, **options).encode()


def cut(draw: random.Random, row: dict[str, Any]) -> Line:
    line = dump(row)
    return line[: draw.randrange(1, len(line))].strip() or b"{"


def put_bytes(*choices: bytes) -> Mutation:
    def mutate(draw: random.Random, row: dict[str, Any]) -> Line:
        line = dump(row)
        place = draw.randrange(len(line))
        return line[:place] + draw.choice(choices) + line[place:]

    return mutate


def put_value(*choices: str) -> Mutation:
    def mutate(draw: random.Random, row: dict[str, Any]) -> Line:
        key = draw.choice(list(row))
        return dump(row | {key: "@@"}).replace(b'"@@"', draw.choice(choices).encode())

    return mutate


def put_leaf(draw: random.Random, row: dict[str, Any]) -> Line:
    """Whatever an attribute may be, a dict in a string for one, its line is a good one."""
    leaf = draw.choice(ODD_LEAVES)
    key = draw.choice(["WiFi", "Ambience", "Huge", "", "a.b", "Über-Größe 2"])
    return dump(row | {"attributes": {key: leaf, "Number": draw.choice(NUMBERS)}})


def repeat_key(draw: random.Random, row: dict[str, Any]) -> Line:
    return b"{" + dump({draw.choice(list(row)): "other"})[1:-1] + b", " + dump(row)[1:]


def lengthen(draw: random.Random, row: dict[str, Any]) -> Line:
    return dump(row | {draw.choice(list(row)): "@@"}).replace(b"@@", LONG)


def rename_key(draw: random.Random, row: dict[str, Any]) -> Line:
    key = draw.choice(list(row))
    return dump({draw.choice(["", "X", key.upper()]) if k == key else k: v for k, v in row.items()})


# A field of numbers may be huge, and quartiles are taken of it.
NUMBERS = ["1e300", "-1e300", "12345678901234567890", "9" * 30, "0.5", "2", "3", 4, 5.5]
ODD_LEAVES: list[Any] = [
    "{'a': {'b': {'c': 1e999}}}", "{'cut': Tr", "u'", "u'\\x41\\u00e9'", "{'': None}", "[1, [2]]",
    "{" * 2000, "'" * 999, "nan", "inf", "1e999", None, [], {}, [{}], {"": {"": [None]}},
    "{u'\\ud800': 1}", "None", "x" * 5000, "True ", -0.0, 10**400,
]  # fmt: skip

MUTATIONS: list[Mutation] = [
    cut,
    put_bytes(b"\\", b"\\x", b"\\u12", b"\\ud800", b'"', b"}", b",", b"{", b"]"),
    put_bytes(b"\x00", b"\x01", b"\x7f", b"\r", b"\xef\xbb\xbf"),
    put_bytes(b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\xc0\x80"),
    put_value("null", "true", "[]", "{}", "[[1, 2], {}]", '{"a": {"b": null}}', "3.5", '""', '" "'),
    put_value("1e999999", "-1e-999999", "9" * 400, "NaN", "-Infinity", "0x1F", "1.", "- 1", "007"),
    put_value("[" * 5000 + "]" * 5000, '{"a":' * 5000 + "1" + "}" * 5000, "[" * 100_000),
    put_value('"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', "'single'", '"tab\\there"'),
    put_leaf,
    repeat_key,
    rename_key,
    lambda draw, row: dump(dict(draw.sample(list(row.items()), len(row))) | {"extra": [1]}),
    lambda draw, row: draw.choice(
        [b"[]", b"null", b"5", b'"text"', b"<html>", b"{}", b"\x0b", b"#"]
    ),
    lambda draw, row: dump(row) + draw.choice([b" {}", b",", b"//", b"\t", dump(row)]),
]


def fuzzed(name: str, seed: int) -> tuple[bytes, dict[int, dict[str, Any]]]:
    """The bytes of a file, and its good rows by line number."""
    draw = random.Random(f"{name} {seed}")
    good = {0: dump(good_row(name, 0))}
    lines: list[tuple[dict[str, Any] | None, Line]] = []
    for number in range(1, GOOD):
        row = good_row(name, number)
        lines.append((row, dump(row)))
    for number in range(MUTATED):
        row = good_row(name, GOOD + number)
        mutate = lengthen if number % 200 == 0 else draw.choice(MUTATIONS)
        lines.append((None, mutate(draw, row).replace(b"\n", b" ")))
    draw.shuffle(lines)
    lines.insert(0, (good_row(name, 0), good[0]))
    content = b"\n".join(line for _, line in lines) + b"\n"
    numbered = {number: row for number, (row, _) in enumerate(lines, start=1) if row is not None}
    return content, numbered


Files = dict[str, tuple[bytes, dict[int, dict[str, Any]]]]


@pytest.fixture(scope="module")
def files() -> Files:
    return {name: fuzzed(name, 7) for name in MODELS}


@pytest.fixture(scope="module")
def con(files: Files, tmp_path_factory: pytest.TempPathFactory) -> duckdb.DuckDBPyConnection:
    """The files, staged."""
    folder = tmp_path_factory.mktemp("fuzz")
    contents = {name: content for name, (content, _) in files.items()}
    return stage(collection(folder / "data", **contents), folder / "out")


def test_broken_lines_are_counted_and_good_ones_arrive_unchanged(
    files: Files, con: duckdb.DuckDBPyConnection
) -> None:
    for name, (content, good) in files.items():
        kept, left_out = accepted(con, name), rejected(con, name)
        lines = [n for n, line in enumerate(content.split(b"\n"), start=1) if line.strip()]
        assert sorted([*kept, *left_out]) == lines, name
        assert set(good) <= set(kept), name
        assert len(left_out) > MUTATED / 5, name

    def by_line(query: str) -> dict[int, dict[str, Any]]:
        return {row["line_number"]: row for row in rows(con, query)}

    arrived = {name: by_line(f"select * from {model}") for name, model in MODELS.items()}
    for number, row in files["business"][1].items():
        seen = arrived["business"][number]
        assert (seen["business_id"], seen["name"]) == (row["business_id"], row["name"])
        assert (seen["latitude"], seen["longitude"]) == (50.5, -70)
        assert (seen["is_open"], seen["categories"]) == ("true", ["A", "B"])
        assert json.loads(seen["attributes"]) == row["attributes"]
    for name, key in (("review", "review_id"), ("tip", "business_id")):
        for number, row in files[name][1].items():
            seen = arrived[name][number]
            assert (seen[key], seen["content"]) == (row[key], row["text"])
    for number, row in files["photos"][1].items():
        seen = arrived["photos"][number]
        assert (seen["photo_id"], seen["caption"]) == (row["photo_id"], row["caption"].strip())
    for number, row in files["user"][1].items():
        hashed = hashlib.sha256(f"heterqa:{row['user_id']}".encode()).hexdigest()
        assert arrived["user"][number]["user_id"] == hashed[:22]
    for number, row in files["checkin"][1].items():
        assert arrived["checkin"][number]["business_id"] == row["business_id"]


def test_sources_of_broken_lines_hold_the_good_ones(
    files: Files, con: duckdb.DuckDBPyConnection
) -> None:
    """Whatever got through staging, the next room can be made of it and loses nothing good."""
    for seed in SEEDS:
        make_seed(con, seed)
    for name in ("phrase_field", "negate_phrase"):
        register(con, name, functions(load_profile(EMBEDDED))[name], Asking(1))
    make(con, "stg_field_rules")
    for model in SOURCES:
        con.execute(f"create table {model} as {render_model(model)}")

    records = {row["record_id"]: row for row in rows(con, "from records")}
    for row in files["business"][1].values():
        seen = records[row["business_id"]]
        assert (seen["name"], seen["categories"]) == (row["name"], ["A", "B"])
        assert (seen["wifi"], seen["ambience_casual"], seen["is_open"]) == ("free", "true", "true")
    (kept,) = con.execute("select count(*) from stg_businesses").fetchone() or ()
    assert len(records) == kept

    texts = {row["content"] for row in rows(con, "from texts")}
    passages = {row["content"] for row in rows(con, "from passages")}
    for name in ("review", "tip"):
        for row in files[name][1].values():
            assert row["text"] in texts and row["text"] in passages
    captions = {row["photo_id"]: row["caption"] for row in rows(con, "from photos")}
    for row in files["photos"][1].values():
        assert captions[row["photo_id"]] == row["caption"].strip()
