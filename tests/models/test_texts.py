"""Texts: what is cleaned, and their passages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.render import render_model

Query = Callable[..., Any]


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
