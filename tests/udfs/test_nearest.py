"""The block search equals brute force, whatever the blocks, threads and ties."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.render import render
from udfs.search.nearest import UNIT_ROUNDOFF, Block, Hits, nearest, pack_allowed

Rows = list[tuple[int, int, int, float]]
# Few values: many vectors are equal, opposite, zero, or equally near once rounded. Products of the
# first two differ by less than a rounded similarity tells apart.
VALUES = [0.0, 0.5, -0.5, 0.25, 0.1768, 1.0, 0.00006, 0.5005]
SIMILARITY = render("{{ similarity('$a', '$b') }}")
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
