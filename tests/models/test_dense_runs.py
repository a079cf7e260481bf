"""Dense and hybrid runs equal numpy and a plain rank fusion, to the last bit."""

import random
from collections import defaultdict
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from tests.support.render import render_model

DEPTH = 20


def connection(threads: int, reverse: bool) -> duckdb.DuckDBPyConnection:
    """300 entries of 40 records and 5 questions, with float16 vectors as a build stores them."""
    generator = np.random.default_rng(3)
    vectors = generator.normal(size=(305, 384))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)
    vectors[17] = vectors[18]
    draw = random.Random(3)
    entries = [
        (f"e{n}", f"r{n % 40}", draw.choice(["fields", "text", "photo"])) for n in range(300)
    ]
    order = list(reversed(range(300))) if reverse else list(range(300))

    con = duckdb.connect(config={"threads": threads})
    entry_rows = pa.table(
        {
            "entry_id": [entries[n][0] for n in order],
            "record_id": [entries[n][1] for n in order],
            "source": [entries[n][2] for n in order],
            "vector": [vectors[n].astype(np.float32).tolist() for n in order],
        }
    )
    question_rows = pa.table(
        {
            "qid": [f"q{n}" for n in range(5)],
            "vector": [vectors[300 + n].astype(np.float32).tolist() for n in range(5)],
        }
    )
    con.register("entry_rows", entry_rows)
    con.register("question_rows", question_rows)
    con.execute(
        "create table entry_vectors as select * replace (vector::float[] as vector) from entry_rows"
    )
    con.execute(
        "create table question_vectors as select qid, vector::float[] as vector from question_rows"
    )
    return con


def rows_of(name: str, con: duckdb.DuckDBPyConnection) -> list[tuple[Any, ...]]:
    con.execute(f"create table {name} as {render_model(name, retrieval_depth=DEPTH)}")
    return con.execute(f"from {name} order by all").fetchall()


def test_dense_equals_numpy_exactly() -> None:
    con = connection(threads=2, reverse=False)
    hits = rows_of("dense_hits", con)
    questions = con.execute("select qid, vector from question_rows").fetchall()
    entries = con.execute("select entry_id, record_id, source, vector from entry_rows").fetchall()
    expected = []
    for qid, question in questions:
        best: dict[tuple[str, str], tuple[float, str]] = {}
        for entry_id, record, source, vector in entries:
            score = round(float(np.dot(np.array(question), np.array(vector))), 4)
            best[source, record] = min(best.get((source, record), (9.0, "")), (-score, entry_id))
        for source in ("fields", "text", "photo"):
            ranked = sorted((*hit, record) for (of, record), hit in best.items() if of == source)
            ranked.sort(key=lambda hit: (hit[0], hit[2]))
            expected += [
                (qid, source, record, rank, -score, entry_id)
                for rank, (score, entry_id, record) in enumerate(ranked[:DEPTH], start=1)
            ]
    assert hits == sorted(expected)


def test_same_bits_for_any_threads_and_row_order() -> None:
    first = rows_of("dense_hits", connection(threads=1, reverse=False))
    assert first == rows_of("dense_hits", connection(threads=4, reverse=True))


def fused(rankings: dict[str, list[str]]) -> list[str]:
    """The fused order of several rankings, best first."""
    scores: dict[str, float] = defaultdict(float)
    for ranking in rankings.values():
        for rank, record in enumerate(ranking, start=1):
            scores[record] += 1 / (60 + rank)
    return sorted(scores, key=lambda record: (-round(scores[record], 9), record))[:DEPTH]


def test_hybrid_fuses_two_fused_runs_by_rank() -> None:
    draw = random.Random(5)
    con = duckdb.connect()
    con.execute(
        "create table source_runs "
        "(run text, source text, qid text, record_id text, rank bigint, score double)"
    )
    rankings: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for run in ("bm25", "dense"):
        for source in ("fields", "text", "photo"):
            records = [f"r{n}" for n in draw.sample(range(30), 15)]
            rankings[run][source] = records
            for rank, record in enumerate(records, start=1):
                con.execute(
                    "insert into source_runs values (?, ?, 'q1', ?, ?, ?)",
                    [run, source, record, rank, draw.random()],
                )
    for name in ("fused_runs", "hybrid_runs", "runs"):
        rows_of(name, con)
    runs = defaultdict(list)
    for run, record in con.execute("select run, record_id from runs order by run, rank").fetchall():
        runs[run].append(record)
    singles = {run: fused(sources) for run, sources in rankings.items()}
    assert runs == singles | {"hybrid": fused(singles)}
