"""Staging over real files: any line is accepted or rejected, once, under its number in the file."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.render import render_model
from tests.support.staging import MODELS, accepted, collection, rejected, stage

BOM = b"\xef\xbb\xbf"
B1 = b'{"business_id": "b1"}\n'


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("mark", [b"", BOM])
def test_lines_of_a_broken_file(end: bytes, mark: bytes, tmp_path: Path) -> None:
    lines = [
        b'{"business_id": "b1", "name": "Zo\xc3\xab"}',
        b"",
        b" \t ",
        b'{"business_id": "cut',
        b'["business_id"]',
        b"null",
        b'{"name": "keyless"}',
        b'{"business_id": " "}',
        b'{"business_id": null}',
        b'{"business_id": "b1", "name": "again"}',
        b'{"business_id": "twice", "business_id": "in one"}',
        b'{"business_id": "an escape \\u0001"}',
        b'{"business_id": "a control \x01"}',
        b'{"business_id": "a nul \x00"}',
        b'{"business_id": "not utf-8 \xe9"}',
        b'{"business_id": "' + b"long" * 300_000 + b'"}',
        b'{"business_id": "two"} {"business_id": "three"}',
        b'{"business_id": "deep", "x": ' + b"[" * 9999 + b"]" * 9999 + b"}",
        b"   ",
        b'{"business_id": "last", "latitude": 91}',
        b'{"business_id": "pole", "latitude": 90, "longitude": "-180"}',
        b'{"business_id": "nan", "longitude": NaN}',
        b'{"business_id": "nowhere", "latitude": "x", "longitude": null}',
        b"",
    ]
    con = stage(collection(tmp_path / "data", business=mark + end.join(lines)), tmp_path / "out")
    assert rejected(con, "business") == {
        4: "is not JSON",
        5: "is not a JSON object",
        6: "is not a JSON object",
        7: "has no business_id",
        8: "has no business_id",
        9: "has no business_id",
        10: "repeats a business_id",
        12: "has a business_id that is no id",
        13: "is not JSON",
        14: "is not JSON",
        15: "is not JSON",
        16: "has a business_id that is no id",
        17: "is not JSON",
        20: "has coordinates outside the globe",
        22: "has coordinates outside the globe",
    }
    assert accepted(con, "business") == [1, 11, 18, 21, 23]
    names = con.execute("select name from stg_businesses where line_number = 1").fetchall()
    assert names == [("Zoë",)]
    counts = "select line_count, blank_line_count from input_counts where file = 'business'"
    assert con.execute(counts).fetchone() == (20, 3)


def test_a_line_over_16_mb_is_rejected_and_one_of_16_mb_is_not(tmp_path: Path) -> None:
    def line(number: int, size: int) -> bytes:
        start = b'{"review_id": "v%d", "business_id": "b1", "text": "' % number
        return start + b"x" * (size - len(start) - 2) + b'"}'

    most = 1 << 24
    review = b"\n".join([line(1, most), line(2, most + 1), line(3, 100), line(4, 3 * most)])
    con = stage(collection(tmp_path / "data", business=B1, review=review), tmp_path / "out")
    reason = "is longer than 16 MB"
    assert rejected(con, "review") == {2: reason, 4: reason}
    assert con.execute("select length(content) from stg_reviews order by 1").fetchall() == [
        (100 - 52,),
        (most - 52,),
    ]


some_line = st.one_of(
    st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"")),
    st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=20).map(
        str.encode
    ),
    st.builds(
        lambda row: json.dumps(row).encode(),
        st.dictionaries(
            st.sampled_from(["business_id", "review_id", "text", "user_id", "date", "photo_id"]),
            st.none() | st.integers(0, 3) | st.text(max_size=3) | st.just("b1"),
            max_size=6,
        ),
    ),
)


@given(st.fixed_dictionaries({name: st.lists(some_line, max_size=6) for name in MODELS}))
@settings(max_examples=40, deadline=None)
@example({name: [b"{}"] for name in MODELS})
def test_every_line_is_accepted_or_rejected(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, list[bytes]]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    contents = {name: b"\n".join(lines) for name, lines in files.items()}
    con = stage(collection(folder / "data", **contents), folder / "out")
    places = Counter(
        (name, number) for name in MODELS for number in [*accepted(con, name), *rejected(con, name)]
    )
    expected = {
        (name, number)
        for name, content in contents.items()
        for number, line in enumerate(content.removeprefix(BOM).split(b"\n"), start=1)
        if line.strip()
    }
    assert set(places) == expected
    assert set(places.values()) <= {1}
    assert con.execute(render_model("staging_lines_accounted")).fetchall() == []


def test_the_audit_finds_a_line_that_is_lost(tmp_path: Path) -> None:
    con = stage(collection(tmp_path / "data", business=B1 * 2), tmp_path / "out")
    audit = render_model("staging_lines_accounted")
    assert con.execute(audit).fetchall() == []
    con.execute("delete from rejected_rows")
    assert con.execute(audit).fetchall() == [("business", 2, 1, 1)]
    con.execute("insert into rejected_rows values ('business', 1, 'is both')")
    assert con.execute(audit).fetchall() == [("business", 2, 2, 1)]


def test_reasons_that_lie_between_lines(tmp_path: Path) -> None:
    con = stage(
        collection(
            tmp_path / "data",
            business=B1 + B1,
            review=b'{"review_id": "v1", "business_id": "b1", "text": "Fine."}\n'
            b'{"review_id": "v1", "business_id": "b9", "text": "Fine."}\n'
            b'{"review_id": "v2", "business_id": "b9", "text": "Fine."}\n'
            b'{"review_id": "v3", "business_id": "b1", "text": null}\n'
            b'{"review_id": "v3", "business_id": "b1", "text": ""}\n',
            tip=b'{"business_id": "b1", "user_id": "u1", "date": "2020-01-01", "text": "Go."}\n'
            b'{"business_id": "b1", "user_id": "u2", "date": "2020-01-01", "text": "Go."}\n'
            b'{"business_id": "b1", "user_id": "u1", "date": "2020-01-01", "text": "Go."}\n',
            photos=b'{"photo_id": "p1", "business_id": "b9"}\n',
        ),
        tmp_path / "out",
    )
    assert rejected(con, "business") == {2: "repeats a business_id"}
    assert rejected(con, "review") == {
        2: "repeats a review_id",
        3: "is about an unknown business_id",
        4: "has no text",
    }
    assert rejected(con, "tip") == {3: "repeats a tip"}
    assert rejected(con, "photos") == {1: "is about an unknown business_id"}


@pytest.mark.parametrize("last", [b"", b'\n{"review_id":'])
def test_numbers_are_those_of_the_file_when_several_threads_read_it(
    last: bytes, tmp_path: Path
) -> None:
    """Three buffers of DuckDB's, read by four threads; a faulty line has it read carefully."""
    lines = [
        b'{"review_id": "v%d", "business_id": "b%d", "text": "%b"}'
        % (number, number % 1000 == 0, b"x" * 990)
        for number in range(1, 100_001)
    ]
    review = b"\n".join(lines) + last
    assert len(review) > 3 * (32 << 20)
    con = stage(
        collection(tmp_path / "data", business=b'{"business_id": "b0"}', review=review),
        tmp_path / "out",
        threads=4,
    )
    unknown = list(range(1000, 100_001, 1000))
    assert sorted(rejected(con, "review")) == unknown + ([100_001] if last else [])
    wrong = "select count(*) from stg_reviews where review_id != 'v' || line_number"
    assert con.execute(wrong).fetchone() == (0,)


def test_a_line_that_is_cut_off_behind_a_colon_takes_no_other_along(tmp_path: Path) -> None:
    lines = [b'{"user_id": "u%d", "review_count": %d}' % (number, number) for number in range(9)]
    lines[4] = b'{"user_id":'
    con = stage(collection(tmp_path / "data", user=b"\n".join(lines)), tmp_path / "out")
    assert rejected(con, "user") == {5: "is not JSON"}
    assert accepted(con, "user") == [1, 2, 3, 4, 6, 7, 8, 9]


def test_users_are_hashed_and_their_names_stay_outside(tmp_path: Path) -> None:
    said = "Write to Jo.Doe+x@mail.example.org!"
    con = stage(
        collection(
            tmp_path / "data",
            business=[
                {
                    "business_id": "b1",
                    "name": "Jo <jo@example.org>",
                    "city": "jo@example.org",
                    "state": "jo@example.org",
                    "postal_code": "jo@example.org",
                    "address": "jo@example.org",
                    "categories": "Bars, mail jo@example.org",
                    "attributes": {"Contact": "u'jo@example.org'", "by jo@example.org": True},
                }
            ],
            review=[{"review_id": "v1", "business_id": "b1", "user_id": "u-secret", "text": said}],
            tip=[{"business_id": "b1", "user_id": "u-secret", "text": said, "date": "2020-01-01"}],
            user=[{"user_id": "u-secret", "name": "Josephine", "friends": "u-friend"}],
            photos=[{"photo_id": "p1", "business_id": "b1", "caption": said, "label": said}],
        ),
        tmp_path / "out",
    )
    hashed = hashlib.sha256(b"heterqa:u-secret").hexdigest()[:22]
    for model in ("stg_reviews", "stg_tips", "stg_users"):
        assert con.execute(f"select user_id from {model}").fetchall() == [(hashed,)]
    kept = "".join(
        str(con.execute(f"select * from {model}").fetchall()) for model in MODELS.values()
    )
    assert "Write to [e-mail]!" in kept
    for secret in ("secret", "Josephine", "friend", "jo@", "Doe"):
        assert secret not in kept
    (tip_id,) = con.execute("select tip_id from stg_tips").fetchone() or ("",)
    for user in ("u-secret", hashed):
        plain = json.dumps(["b1", user, "2020-01-01", said], separators=(",", ":"))
        assert (tip_id == hashlib.md5(plain.encode()).hexdigest()[:22]) == (user == hashed)


def test_photos_without_a_file_and_files_without_a_row(tmp_path: Path) -> None:
    photos = [{"photo_id": name, "business_id": "b1"} for name in ("both", "row")]
    data = collection(tmp_path / "data", business=B1, photos=photos)
    query = (
        "select photo_id, has_row, has_file, content_hash is not null from stg_photo_files"
        " order by photo_id"
    )
    without = stage(data, tmp_path / "out").execute(query).fetchall()
    assert without == [("both", True, None, False), ("row", True, None, False)]
    (data / "photos").mkdir()
    for name in ("both.jpg", "file.jpg", "notes.txt"):
        (data / "photos" / name).touch()
    assert stage(data, tmp_path / "out").execute(query).fetchall() == [
        ("both", True, True, True),
        ("file", False, True, True),
        ("row", True, False, False),
    ]
