"""The block search equals brute force, whatever the blocks, threads and ties; and so its model."""

from __future__ import annotations

import importlib.util
import math
import shutil
import subprocess
import sys
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.builds import environment
from tests.support.render import REPO, render, render_model
from udfs.search.nearest import UNIT_ROUNDOFF, Block, Hits, nearest, pack_allowed

Rows = list[tuple[int, int, int, float]]
# Few values: many vectors are equal, opposite, zero, or equally near once rounded. Products of the
# first two differ by less than a rounded similarity tells apart.
VALUES = [0.0, 0.5, -0.5, 0.25, 0.1768, 1.0, 0.00006, 0.5005]
SIMILARITY = render("{{ similarity('$a', '$b') }}")
KEY = render("{{ vector_key('query', 'content') }}")
HALF = st.sampled_from([np.float16(value) for value in VALUES])


def rows_of(hits: Hits) -> Rows:
    return list(zip(*(part.tolist() for part in hits), strict=True))


def rounded(similarity: Fraction) -> Fraction:
    """To 4 decimals, halves away from zero."""
    steps = math.floor(abs(similarity) * 10_000 + Fraction(1, 2))
    return Fraction(steps if similarity > 0 else -steps, 10_000)


def brute_force(
    queries: np.ndarray[Any, Any], block: Block, k: int, sees: np.ndarray[Any, Any]
) -> Rows:
    """Without floating point: every similarity as a fraction, all sorted."""
    exact = [[Fraction(float(value)) for value in row] for row in block.vectors]
    hits = []
    for number, query in enumerate(queries):
        components = [Fraction(float(value)) for value in query]
        found: dict[int, tuple[Fraction, int, int]] = {}
        for row, entry, passage, group in zip(exact, *block[1:], strict=True):
            if sees[number, group]:
                product = sum((a * b for a, b in zip(components, row, strict=True)), Fraction())
                passage_found = (-rounded(product), int(entry), int(passage))
                found[entry] = min(passage_found, found.get(entry, passage_found))
        nearest_first = sorted(found.values())[:k]
        hits += [(number, entry, passage, float(-s)) for s, entry, passage in nearest_first]
    return hits


def in_blocks(block: Block, size: int) -> list[Block]:
    edges = [*range(0, len(block.vectors), size), len(block.vectors)]
    return [Block(*(part[a:b] for part in block)) for a, b in pairwise(edges)]


def packed(sees: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The mask from its pairs, in two portions."""
    queries, groups = np.nonzero(sees)
    portions = [(queries[::2], groups[::2]), (queries[1::2], groups[1::2])]
    return pack_allowed(portions, *sees.shape)


@st.composite
def searches(draw: st.DrawFn) -> tuple[Any, Block, Any]:
    """Queries, vectors in any order of their numbers, and who sees which group."""
    dimensions = draw(st.integers(1, 3))
    vector = st.lists(HALF, min_size=dimensions, max_size=dimensions)
    queries = draw(st.lists(vector, min_size=1, max_size=9))
    vectors = draw(st.lists(vector, max_size=30))
    # Entries have up to as many passages as `of_each`, here and there in the blocks.
    of_each = draw(st.integers(1, 3))
    places = np.array(draw(st.permutations(range(len(vectors)))), np.int64)
    groups = draw(st.lists(st.integers(0, 3), min_size=len(vectors), max_size=len(vectors)))
    sees = draw(
        st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=9, max_size=9)
        | st.just([[False] * 4] * 9)
    )
    block = Block(
        np.array(vectors, np.float16).reshape(-1, dimensions),
        places // of_each,
        places % of_each,
        np.array(groups, np.int64),
    )
    return np.array(queries, np.float16), block, np.array(sees[: len(queries)])


@settings(deadline=None, max_examples=200)
@given(
    search=searches(),
    k=st.integers(1, 8) | st.just(40),
    size=st.sampled_from([1, 7, 100]),
    threads=st.sampled_from([1, 2]),
    is_masked=st.booleans(),
    kind=st.sampled_from([np.float16, np.float32]),
)
def test_equals_brute_force(
    search: Any, k: int, size: int, threads: int, is_masked: bool, kind: Any
) -> None:
    queries, block, sees = search
    blocks = in_blocks(block._replace(vectors=block.vectors.astype(kind)), size)
    hits = nearest(queries, blocks, k, packed(sees) if is_masked else None, threads=threads)
    expected = brute_force(queries, block, k, sees if is_masked else np.ones_like(sees))
    assert rows_of(hits) == expected


def near_vectors(count: int, dimensions: int, seed: int) -> np.ndarray[Any, Any]:
    """Unit vectors around one direction, so that similarities are close to each other."""
    generator = np.random.default_rng(seed)
    vectors = generator.normal(size=(count, dimensions)) * 0.002 + generator.normal(size=dimensions)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors.astype(np.float16)


@pytest.mark.parametrize("k", [5, 2000])
def test_close_similarities_of_many_dimensions(k: int) -> None:
    """Thousands of vectors in a tie, hundreds of which a single precision product would lose."""
    vectors = near_vectors(20_040, 384, seed=5)
    queries, vectors = vectors[:40], vectors[40:]
    generator = np.random.default_rng(6)
    numbers = generator.permutation(len(vectors))
    block = Block(vectors, numbers, np.ones_like(numbers), numbers % 11)
    sees = generator.random((40, 11)) < 0.6
    steps = np.rint(queries.astype(float) @ vectors.astype(float).T * 10_000)
    expected = []
    for number in range(len(queries)):
        nearest_first = np.lexsort((numbers, -steps[number]))
        seen = nearest_first[sees[number, block.groups[nearest_first]]][:k]
        expected += [(number, int(numbers[row]), 1, steps[number, row] / 10_000) for row in seen]
    for size, threads in ((700, 2), (20_000, 1)):
        hits = nearest(queries, in_blocks(block, size), k, packed(sees), threads=threads)
        assert rows_of(hits) == expected


def test_parts_as_small_as_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = near_vectors(500, 16, seed=8)
    zeros = np.zeros(500, np.int64)
    block = Block(vectors, np.arange(500), zeros, zeros)
    whole = rows_of(nearest(vectors[:20], [block], 10))
    seen: list[int] = []
    monkeypatch.setattr("udfs.search.nearest.PAIR_BYTES", 100_000)
    original = np.unpackbits

    def spy(bits: Any, **named: Any) -> Any:
        seen.append(len(bits))
        return original(bits, **named)

    monkeypatch.setattr(np, "unpackbits", spy)
    every = np.full((1, 3), 255, np.uint8)
    assert rows_of(nearest(vectors[:20], [block], 10, every, threads=2, memory_mb=40)) == whole
    assert max(seen) == 10 and sum(seen) == 500


def test_the_margin_holds_for_any_order_of_summation() -> None:
    generator = np.random.default_rng(9)
    share = 384 * UNIT_ROUNDOFF / (1 - 384 * UNIT_ROUNDOFF)
    worst = 0.0
    for _ in range(50):
        a, b = np.abs(generator.normal(size=(2, 384))).astype(np.float16)
        exact = float(np.dot(a.astype(float), b.astype(float)))
        # One after the other in single precision is the order with the largest bound.
        in_turn = np.cumsum(a.astype(np.float32) * b.astype(np.float32), dtype=np.float32)[-1]
        lengths = float(np.linalg.norm(a.astype(float)) * np.linalg.norm(b.astype(float)))
        worst = max(worst, abs(float(in_turn) - exact) / lengths)
    assert 0 < worst < share


# 1/32 is 312.5 ten thousandths.
@example([np.float16(0.25)], [np.float16(0.125)])
@example([np.float16(0.25)], [np.float16(-0.125)])
@settings(deadline=None, max_examples=100)
@given(*[st.lists(st.floats(-1, 1, width=16).map(np.float16), min_size=4, max_size=4)] * 2)
def test_similarity_is_that_of_the_macro(a: list[Any], b: list[Any]) -> None:
    zero = np.zeros(1, np.int64)
    block = Block(np.array([b]), zero, zero, zero)
    hits = nearest(np.array([a]), [block], 1)
    row = duckdb.execute(
        f"select {SIMILARITY}",
        {"a": [float(value) for value in a], "b": [float(value) for value in b]},
    ).fetchone()
    assert row == (hits.similarities[0],)


def test_says_what_cannot_be_searched() -> None:
    zeros = np.zeros(2, np.int64)
    block = Block(np.ones((2, 3), np.float16), np.arange(2), zeros, zeros)
    with pytest.raises(ValueError, match="vectors of 3 numbers, queries of 4"):
        nearest(np.ones((1, 4), np.float16), [block], 1)
    for value in (np.nan, np.inf, 40):
        block.vectors[1, 1] = value
        with pytest.raises(ValueError, match="may reach 32, or a vector is not finite"):
            nearest(np.ones((1, 3), np.float16), [block], 1)


def test_nothing_to_search() -> None:
    empty = np.empty(0, np.int64)
    none = Block(np.empty((0, 3), np.float16), empty, empty, empty)
    assert rows_of(nearest(np.ones((2, 3)), [], 5)) == []
    assert rows_of(nearest(np.ones((2, 3)), [none], 5)) == []
    assert rows_of(nearest(np.empty((0, 3)), [none], 5)) == []


MODEL = "models/construction/1_initialize/recovery/recovery_nearest.py"
# What the models say, as one statement that a person would write.
PLAIN_HITS = render(
    """
    with queries as (
        select claim_id, 'for' as direction, claim as sentence from field_claims
        union all
        select claim_id, 'against' as direction, negation as sentence from field_claims
    ),

    passages as (
        select
            queries.claim_id,
            queries.direction,
            corpus_entries.source,
            corpus_entries.entry_id,
            entry_vectors.passage_number,
            corpus_entries.record_id,
            recovery_pairs.is_known,
            {{ similarity('claim_vectors.vector', 'entry_vectors.vector') }} as similarity,
        from queries
        inner join claim_vectors on claim_vectors.content = queries.sentence
        inner join corpus_entries on corpus_entries.source in ('text', 'photo')
        inner join entry_vectors on entry_vectors.entry_id = corpus_entries.entry_id
        inner join recovery_pairs on recovery_pairs.claim_id = queries.claim_id
        where recovery_pairs.record_id = corpus_entries.record_id and similarity is not null
    ),

    entries as (
        select * from passages
        qualify row_number() over (
            partition by claim_id, direction, entry_id
            order by similarity desc, passage_number asc
        ) = 1
    )

    select * exclude (is_known) from entries
    qualify row_number() over (
        partition by claim_id, direction, source, is_known order by similarity desc, entry_id asc
    ) <= $depth
    order by all
    """
)


def small_warehouse(seed: int, dimensions: int = 8) -> duckdb.DuckDBPyConnection:
    """60 records, 400 entries of one to three passages, 5 claims, and vectors full of ties."""
    generator = np.random.default_rng(seed)

    def vector() -> list[float]:
        return [float(value) for value in np.float16(generator.integers(-2, 3, dimensions) / 5)]

    tables: dict[str, list[tuple[Any, ...]]] = {
        # Two claims have the same negation; the call for one claim failed.
        "field_claims (claim_id text, claim text, negation text, is_recoverable bool)": [
            (claim, f"is {claim}", f"not {min(claim, 'b')}", True) for claim in "abcde"
        ],
        "claim_vectors (content text, vector float[])": [
            (f"{word} {claim}", None if (word, claim) == ("is", "c") else vector())
            for word in ("is", "not")
            for claim in "abcde"
        ],
        "recovery_pairs (claim_id text, record_id text, is_known bool)": [
            (claim, f"r{record}", bool(chance < 0.4))
            for claim in "abcde"
            for record in range(60)
            if (chance := generator.random()) < 0.7
        ],
    }
    entries, passages = [], []
    for number in generator.permutation(400).tolist():
        source = ("text", "photo", "fields")[min(number % 4, 2)]
        entries.append((f"{source}:é{number}", f"r{generator.integers(60)}", source))
        for passage in generator.permutation(2 + (source == "text") * number % 3).tolist():
            passages.append((entries[-1][0], passage, None if number == 8 else vector()))
    tables["corpus_entries (entry_id text, record_id text, source text)"] = entries
    tables["entry_vectors (entry_id text, passage_number int, vector float[])"] = passages

    con = duckdb.connect()
    con.execute("create macro model_signature(role, task) as role || task")
    for table, rows in tables.items():
        con.execute(f"create table {table}")
        columns = [f"c{number}" for number in range(len(rows[0]))]
        found = pa.table(dict(zip(columns, zip(*rows, strict=True), strict=True)))
        con.register("found", found).execute(f"insert into {table.split()[0]} from found")
    con.execute("alter table claim_vectors add column request_key text")
    con.execute(f"update claim_vectors set request_key = {KEY}")
    return con


def search_in(con: duckdb.DuckDBPyConnection, **variables: Any) -> list[tuple[Any, ...]]:
    """The rows of recovery_hits, made as a build makes them."""
    spec = importlib.util.spec_from_file_location("nearest_model", REPO / MODEL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    config = SimpleNamespace(meta_get=variables.get)
    for name in ("recovery_statements", "recovery_queries", "recovery_entries"):
        con.execute(f"create or replace table {name} as {render_model(name)}")
    found = module.model(SimpleNamespace(ref=con.table, config=config), con)
    con.register("found", found)
    con.execute("create or replace table recovery_nearest as from found")
    hits = render_model("recovery_hits")
    return con.execute(f"from ({hits}) order by all").fetchall()


@pytest.mark.parametrize("depth", [1, 12, 1000])
def test_the_models_are_what_plain_sql_says(depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    con = small_warehouse(seed=depth)
    expected = con.execute(PLAIN_HITS, {"depth": depth}).fetchall()
    assert {row[:3] for row in expected} == {
        (claim, direction, source)
        for claim in "abcde"
        for direction in ("for", "against")
        for source in ("text", "photo")
        if (claim, direction) != ("c", "for")
    }
    assert search_in(con, recovery_depth=depth, search_memory_mb=1) == expected
    monkeypatch.setattr("udfs.search.vectors.BATCH_ROWS", 2048)
    monkeypatch.setenv("HETERQA_THREADS", "1")
    assert search_in(con, recovery_depth=depth, search_memory_mb=512) == expected


@pytest.mark.parametrize("table", ["recovery_pairs", "field_claims", "entry_vectors"])
def test_nothing_to_recover(table: str) -> None:
    con = small_warehouse(seed=1)
    con.execute(f"delete from {table}")
    assert search_in(con, recovery_depth=5, search_memory_mb=1) == []


def test_vectors_of_two_models_are_not_compared() -> None:
    con = small_warehouse(seed=1)
    con.execute("update entry_vectors set vector = vector[:4] where entry_id = 'text:é4'")
    with pytest.raises(ValueError, match="vectors of 4 and of 8 numbers in one search"):
        search_in(con, recovery_depth=5, search_memory_mb=1)


def hits_and_plain(path: Path, depth: int) -> tuple[list[Any], list[Any]]:
    with duckdb.connect(path, read_only=True) as con:
        con.execute("set search_path = 'construction,retrieval,vectors'")
        hits = con.execute("from recovery_hits order by all").fetchall()
        return hits, con.execute(PLAIN_HITS, {"depth": depth}).fetchall()


def test_a_build_finds_what_plain_sql_finds(warehouse: Path, data: Path, tmp_path: Path) -> None:
    hits, plain = hits_and_plain(warehouse / "heterqa.duckdb", depth=300)
    assert hits == plain and {hit[2] for hit in hits} == {"text", "photo"}

    # Again with another depth and hardly any memory: vars arrive, and one thread is enough.
    shutil.copy(warehouse / "build.duckdb", tmp_path)
    arguments = ["run", "--select", "recovery_nearest", "recovery_hits"]
    arguments += ["--vars", "{recovery_depth: 3, search_memory_mb: 1}"]
    code = (
        "from dagster_defs.warehouse.dbt import run_dbt; "
        "from udfs.warehouse.settings import Settings; "
        f"list(run_dbt(Settings.from_env(), {arguments}))"
    )
    environ = environment(tmp_path, data, HETERQA_THREADS="1")
    subprocess.run([sys.executable, "-c", code], env=environ, check=True, cwd=tmp_path)
    hits, plain = hits_and_plain(tmp_path / "build.duckdb", depth=3)
    assert hits == plain and len(hits) > 0
