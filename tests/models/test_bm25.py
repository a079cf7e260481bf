"""BM25 in SQL equals a plain implementation of the formula, for words of any script."""

import random
import unicodedata
from collections import Counter, defaultdict

import duckdb
import numpy as np
import pytest

from tests.support.render import render_model

K1, B = 1.2, 0.75
SYLLABLES = ["ca", "fé", "ño", "über", "lo", "ко", "ни", "αβ", "한", "국", "x1", "9", "हिन्"]
CHARACTERS = "東京寿司ラーメンたべ"

Entry = tuple[str, str, str, str]  # entry_id, record_id, source, content
Scores = dict[tuple[str, str, str], float]  # by qid, source, record_id


def plain_words(content: str) -> list[str]:
    """The words of a text, one character at a time."""
    words, open_word = [], ""
    for character in unicodedata.normalize("NFC", content).lower() + " ":
        is_spaceless = unicodedata.name(character, "").startswith(("CJK", "HIRAGANA", "KATAKANA"))
        if unicodedata.category(character)[0] in "LMN" and not is_spaceless:
            open_word += character
            continue
        words += [open_word] if open_word else []
        open_word = ""
        words += [character] if is_spaceless else []
    return words


def plain_bm25(entries: list[Entry], queries: dict[str, str], stop_share: float = 1.0) -> Scores:
    """Best entry score per question, source and record: Lucene's BM25, one array per source."""
    best: Scores = defaultdict(float)
    for source in {entry[2] for entry in entries}:
        counted = [
            (entry[1], Counter(plain_words(entry[3]))) for entry in entries if entry[2] == source
        ]
        counted = [(record, words) for record, words in counted if words]
        vocabulary = sorted({word for _, words in counted for word in words})
        counts = np.array([[words[word] for word in vocabulary] for _, words in counted], float)
        lengths = counts.sum(axis=1, keepdims=True)
        holders = (counts > 0).sum(axis=0)
        idf = np.log(1 + (len(counted) - holders + 0.5) / (holders + 0.5))
        idf[holders > stop_share * len(counted)] = 0
        weights = idf * counts / (counts + K1 * (1 - B + B * lengths / lengths.mean()))
        for qid, query in queries.items():
            asked = Counter(plain_words(query))
            scores = weights @ np.array([asked[word] for word in vocabulary], float)
            for (record, _), score in zip(counted, scores, strict=True):
                if score > 0:
                    best[qid, source, record] = max(best[qid, source, record], float(score))
    return dict(best)


def sql_bm25(
    entries: list[Entry], queries: dict[str, str], threads: int = 2, **variables: float
) -> list[tuple[str, str, str, int, float, str]]:
    """Rows of `bm25_hits`: qid, source, record_id, rank, score, entry_id."""
    con = duckdb.connect(config={"threads": threads})
    con.execute(
        "create table corpus_entries (entry_id text, record_id text, source text, content text)"
    )
    con.executemany("insert into corpus_entries values (?, ?, ?, ?)", entries)
    con.execute("create table queries (qid text, query text)")
    con.executemany("insert into queries values (?, ?)", list(queries.items()))
    for name in ("entry_words", "postings", "bm25_hits"):
        con.execute(f"create table {name} as {render_model(name, **variables)}")
    return con.execute(
        "select qid, source, record_id, rank, score, entry_id from bm25_hits order by all"
    ).fetchall()


def random_corpus(seed: int) -> tuple[list[Entry], dict[str, str]]:
    draw = random.Random(seed)
    vocabulary = ["".join(draw.choices(SYLLABLES, k=draw.randint(1, 3))) for _ in range(60)]
    vocabulary += ["".join(draw.choices(CHARACTERS, k=draw.randint(1, 3))) for _ in range(15)]
    vocabulary += [unicodedata.normalize("NFD", word) for word in vocabulary[:10]]

    def text(most: int) -> str:
        words = draw.choices(
            vocabulary, [1 / rank for rank in range(1, len(vocabulary) + 1)], k=most
        )
        return "".join(
            draw.choice([word, word.upper()]) + draw.choice([" ", ", ", "—"]) for word in words
        )

    entries = [
        (f"e{number}", f"r{draw.randint(0, 40)}", draw.choice(["fields", "text", "photo"]),
         text(draw.randint(0, 25)))
        for number in range(150)
    ]  # fmt: skip
    return entries, {f"q{number}": text(draw.randint(0, 12)) for number in range(12)}


@pytest.mark.parametrize("seed", range(6))
def test_equals_the_formula(seed: int) -> None:
    entries, queries = random_corpus(seed)
    hits = sql_bm25(entries, queries, retrieval_depth=1000)
    expected = plain_bm25(entries, queries)
    assert {hit[:3] for hit in hits} == set(expected)
    for qid, source, record, _, score, _ in hits:
        # A weight is stored to 6 decimals, and a question has at most 12 words here.
        assert score == pytest.approx(expected[qid, source, record], abs=12e-6)


def test_ranks_by_score_then_record_to_the_depth() -> None:
    entries, queries = random_corpus(7)
    every_hit = sql_bm25(entries, queries, retrieval_depth=1000)
    by_ranking = defaultdict(list)
    for hit in every_hit:
        by_ranking[hit[0], hit[1]].append(hit)
    for hits in by_ranking.values():
        ranked = sorted(hits, key=lambda hit: (-hit[4], hit[2]))
        assert [hit[3] for hit in ranked] == list(range(1, len(hits) + 1))
    shallow = sql_bm25(entries, queries, retrieval_depth=3)
    assert shallow == [hit for hit in every_hit if hit[3] <= 3]


def test_same_bits_for_any_threads_and_row_order() -> None:
    entries, queries = random_corpus(8)
    shuffled = random.Random(0).sample(entries, len(entries))
    assert sql_bm25(entries, queries, threads=1) == sql_bm25(shuffled, queries, threads=4)


def test_words_of_most_entries_are_left_out_of_large_sources() -> None:
    entries, queries = random_corpus(9)
    hits = sql_bm25(
        entries, queries, retrieval_depth=1000, stop_word_entries=0, stop_word_share=0.2
    )
    expected = plain_bm25(entries, queries, stop_share=0.2)
    assert {hit[:3] for hit in hits} == set(expected)
    assert len(expected) < len(plain_bm25(entries, queries))


def test_accents_and_characters_find_their_entries() -> None:
    entries = [
        ("e1", "r1", "text", "Café crème"),
        ("e2", "r2", "text", "cafe creme"),
        ("e3", "r3", "text", "東京の寿司"),
        ("e4", "r4", "text", "naïve Übergröße"),
    ]
    queries = {"q1": "CAFE\u0301", "q2": "寿司", "q3": "ÜBERGRÖßE", "q4": "…"}
    hits = sql_bm25(entries, queries)
    assert [(hit[0], hit[2]) for hit in hits] == [("q1", "r1"), ("q2", "r3"), ("q3", "r4")]


def test_a_rarer_word_and_a_shorter_entry_weigh_more() -> None:
    entries = [
        ("e1", "r1", "text", "quiet lake"),
        ("e2", "r2", "text", "quiet garden"),
        ("e3", "r3", "text", "lake view"),
        ("e4", "r4", "text", "lake trail"),
        ("e5", "r5", "text", "lake trail with a very long path around it"),
    ]
    hits = sorted(sql_bm25(entries, {"q": "quiet lake"}), key=lambda hit: hit[3])
    assert [hit[2] for hit in hits] == ["r1", "r2", "r3", "r4", "r5"]
    assert hits[2][4] == hits[3][4]
