"""Sentences of a text, and how far a negation reaches in one."""

from __future__ import annotations

import pytest

from udfs.english.negation import negated
from udfs.english.sentences import split_sentences, tokenize


def negated_words(sentence: str) -> list[str]:
    words = tokenize(sentence)
    return [word for word, covered in zip(words, negated(words), strict=True) if covered]


@pytest.mark.parametrize(
    ("sentence", "covered", "free"),
    [
        ("There are no showers.", "showers", ""),
        ("No water, showers or shops, but great views.", "water showers shops", "views"),
        ("Dogs are not allowed, cats are.", "dogs", "cats"),
        ("Trailers, RVs, or buses are not permitted.", "trailers rvs buses", ""),
        ("We don\u2019t take reservations.", "reservations", ""),
        ("No shade in the pool area.", "shade", "pool"),
        ("I looked for a jukebox, there isn't one.", "jukebox", ""),
        ("Trendy? Not at all.", "trendy", ""),
        ("Showers: none", "showers", ""),
        ("They used to have a patio.", "patio", ""),
        ("I wish they had a patio.", "patio", ""),
        ("The sites are too small for RVs.", "rvs", "sites"),
        ("They are sold out of coffee.", "coffee", ""),
        ("Hardly any shade.", "shade", ""),
        ("Only tents are welcome.", "", "tents welcome"),
        ("Not only clean but quiet.", "", "clean quiet"),
        ("You can't go wrong with the soup.", "", "soup"),
        ("No wonder the patio is full.", "", "patio"),
    ],
)
def test_reach_of_a_negation(sentence, covered, free):
    found = negated_words(sentence)
    assert set(covered.split()) <= set(found)
    assert not set(free.split()) & set(found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  \n ", []),
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("It is 4.5 km from St. Louis. Go.", ["It is 4.5 km from St. Louis.", "Go."]),
        ("first line\nsecond line", ["first line", "second line"]),
        ("静かです。良い店", ["静かです。", "良い店"]),
        ("lower. case next", ["lower.", "case next"]),
    ],
)
def test_sentences(text, expected):
    assert split_sentences(text) == expected


def test_sentences_are_bounded():
    assert len(split_sentences("Yes. " * 1000, max_sentences=60)) == 60
    pieces = split_sentences("word " * 1000, max_chars=400)
    assert max(map(len, pieces)) <= 400
    assert "".join(pieces).replace(" ", "") == "word" * 1000
