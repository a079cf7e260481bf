"""The k nearest of millions of vectors for many queries at once, exactly, in blocks.

A product of matrices in single precision is fast and inexact. Here it only rules vectors out: each
vector that could be among the k nearest, given how far such a product can be off, gets its exact
similarity, which decides. So the answer depends on no block, thread or library of the products.

The margin. Summed in any order, with or without fused steps, a single precision product of a and b
with d components is off by at most d u / (1 - d u) |a| |b|, u = 2^-24 (Higham, Accuracy and
Stability of Numerical Algorithms, 3.1, and Cauchy-Schwarz): 0.000023 for unit vectors of 384. A
similarity is rounded to 4 decimals, which moves it by 0.00005 at most. A vector whose product is
further than both below the k-th best rounded similarity so far is not among the k nearest.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

# As the macro `similarity` rounds.
SIMILARITY_STEPS = 10_000
HALF_STEP = 0.5 / SIMILARITY_STEPS
UNIT_ROUNDOFF = 2.0**-24
# What the arithmetic of the bounds itself may lose, in doubles.
SLACK = 1e-9
# Products of float16 values are multiples of 2^-48, so sums below this are exact in a double.
LARGEST = 32.0
# Above the ten thousandths of any similarity.
MANY_STEPS = 1 << 20
# Pairs whose exact similarity is computed together: what they need fits in a processor's cache.
EXACT_PAIRS = 256
# Memory for a pair of a vector and a query, at its most: its product, a copy to find the k-th best,
# whether it is allowed, and, where it cannot be ruled out, its numbers.
PAIR_BYTES = 40

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Integers = NDArray[np.int64]
Bits = NDArray[np.uint8]


class Block(NamedTuple):
    """Some of the vectors to search: passages of entries.

    vectors: n x d, of float16 values, as float16 or float32; of about unit length
    entries: n, the entry of each; of equally near ones, the lower number is nearer
    passages: n, the number of each within its entry
    groups: n, the row of the mask for each
    """

    vectors: NDArray[Any]
    entries: NDArray[Any]
    passages: NDArray[Any]
    groups: NDArray[Any]


class Hits(NamedTuple):
    """The nearest entries by query, nearest first, each by its nearest passage."""

    queries: Integers
    entries: Integers
    passages: Integers
    similarities: Doubles


def nearest(
    queries: NDArray[Any],
    blocks: Iterable[Block],
    k: int,
    allowed: Bits | None = None,
    *,
    threads: int = 1,
    memory_mb: int = 512,
) -> Hits:
    """For each query, the k nearest entries: similarity to 4 decimals descending, then number.

    Of an entry, the nearest passage counts, the first of equally near ones. queries: q x d, float16
    values. allowed: which groups a query sees, from `pack_allowed`; all without it. Fewer than k
    hits where a query sees fewer entries. The working memory beside the hits and `allowed` is about
    memory_mb, and less for small searches.

    Raises ValueError for vectors with more or fewer components than the queries, not finite ones,
    and ones so long that their similarity would not be exact.
    """
    search = _Search(queries, k, allowed)
    count, dimensions = queries.shape
    if not count or k < 1:
        return search.hits()
    row_bytes = 8 * dimensions + PAIR_BYTES * count
    rows = max(1, (memory_mb << 20) // (row_bytes * threads))
    # Each worker takes a part through all steps, with products of one thread: the steps beside the
    # product cost as much as the product does.
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
        running: deque[Future[_Near]] = deque()
        for part in _parts(blocks, rows):
            if len(running) == threads:
                search.add(running.popleft().result())
            running.append(pool.submit(search.near, part))
        for future in running:
            search.add(future.result())
    return search.hits()


def pack_allowed(
    pairs: Iterable[tuple[NDArray[Any], NDArray[Any]]], query_count: int, group_count: int
) -> Bits:
    """Which query sees which group, a bit each: a row a group, from pairs of query and group."""
    packed = np.zeros((group_count, (query_count + 7) // 8), np.uint8)
    for queries, groups in pairs:
        bits = np.right_shift(128, queries & 7).astype(np.uint8)
        np.bitwise_or.at(packed, (groups, queries >> 3), bits)
    return packed


class _Near(NamedTuple):
    """Queries and passages that may be among their k nearest; steps: 10,000 similarities."""

    queries: Integers
    steps: Integers
    entries: Integers
    passages: Integers


class _Search:
    """The queries, and the nearest entries of each so far."""

    def __init__(self, queries: NDArray[Any], k: int, allowed: Bits | None) -> None:
        self.queries = np.ascontiguousarray(queries, np.float32)
        self.k = k
        self.allowed = allowed
        count, dimensions = self.queries.shape
        share = dimensions * UNIT_ROUNDOFF
        self.lengths = _lengths(self.queries)
        self.margins = share / (1 - share) * self.lengths
        # A vector whose similarity is rounded to less than this is not among the k nearest.
        self.least = np.full(count, -np.inf)
        none = np.empty(0, np.int64)
        self.best = _Near(none, none, none, none)
        self.waiting: list[_Near] = []

    def near(self, block: Block) -> _Near:
        """What of a block may be among the k nearest, with its exact similarity."""
        vectors = np.ascontiguousarray(block.vectors, np.float32)
        if vectors.shape[1] != self.queries.shape[1]:
            raise ValueError(
                f"vectors of {vectors.shape[1]} numbers, queries of {self.queries.shape[1]}"
            )
        longest = _lengths(vectors).max(initial=0.0)
        # Written so that it holds for what is not a number, too.
        if not longest * self.lengths.max() < LARGEST:
            raise ValueError(f"a similarity may reach {LARGEST:.0f}, or a vector is not finite")
        margins = self.margins * longest + SLACK
        products = vectors @ self.queries.T
        is_near = products >= _rounded_down(self.least - HALF_STEP - margins)
        if self.allowed is not None:
            bits = self.allowed[block.groups]
            is_near &= np.unpackbits(bits, axis=1, count=len(self.queries)).view(bool)
        # While little is known of the k nearest, the k nearest of the block rule out much of it.
        if np.count_nonzero(is_near) > 2 * self.k * len(self.queries):
            # So many passages are of k entries at least.
            place = len(vectors) - self.k * int(np.unique_counts(block.entries).counts.max())
            if place > 0:
                products[~is_near] = -np.inf
                kth = np.partition(products, place, axis=0)[place].astype(np.float64)
                is_near &= products >= _rounded_down(kth - 2 * (HALF_STEP + margins))
        rows, queries = np.divmod(np.flatnonzero(is_near), len(self.queries))
        steps = self._steps(vectors, rows, queries)
        return _Near(queries, steps, block.entries[rows], block.passages[rows])

    def _steps(self, vectors: Floats, rows: Integers, queries: Integers) -> Integers:
        """Exact similarities in ten thousandths, rounded as `round(similarity, 4)` rounds.

        Products of float16 values are exact in single precision, and their sum in a double.
        """
        sums = np.empty(len(rows))
        for start in range(0, len(rows), EXACT_PAIRS):
            some = slice(start, start + EXACT_PAIRS)
            products = vectors[rows[some]]
            products *= self.queries[queries[some]]
            products.sum(axis=1, dtype=np.float64, out=sums[some])
        sums *= SIMILARITY_STEPS
        whole = np.trunc(sums)
        return (whole + np.trunc(2 * (sums - whole))).astype(np.int64)

    def add(self, near: _Near) -> None:
        """Take note of what was found, and, once it is enough to matter, of what it rules out."""
        self.waiting.append(near)
        if sum(len(found.queries) for found in self.waiting) > self.k * len(self.queries) // 8:
            self._settle()

    def _settle(self) -> None:
        """Keep the k nearest of each query, and note how near the next have to be."""
        near = _Near(*map(np.concatenate, zip(self.best, *self.waiting, strict=True)))
        self.waiting = []
        near = _nearest_passages(near)
        every = np.arange(len(self.queries) + 1)
        # Sorted, the keys of a query follow each other, the nearest first.
        keys = near.queries * (2 * MANY_STEPS) + MANY_STEPS - near.steps
        in_order = np.sort(keys)
        starts = np.searchsorted(in_order, every * (2 * MANY_STEPS))
        kth = every[1:] * (2 * MANY_STEPS)
        is_full = np.diff(starts) >= self.k
        kth[is_full] = in_order[starts[:-1][is_full] + self.k - 1]
        is_kept = keys < kth[near.queries]
        # Of those that are as near as the k-th, the first entries are kept.
        tied = np.flatnonzero(keys == kth[near.queries])
        tied = tied[np.lexsort((near.entries[tied], near.queries[tied]))]
        places = np.arange(len(tied)) - np.searchsorted(near.queries[tied], near.queries[tied])
        free = self.k - np.bincount(near.queries[is_kept], minlength=len(self.queries))
        is_kept[tied[places < free[near.queries[tied]]]] = True
        self.best = _at(near, is_kept)
        # `least` is replaced and not changed: workers read it meanwhile, and an older one only
        # rules out fewer vectors.
        steps = MANY_STEPS + every[:-1] * (2 * MANY_STEPS) - kth
        self.least = np.where(is_full, steps / SIMILARITY_STEPS, -np.inf)

    def hits(self) -> Hits:
        self._settle()
        order = np.lexsort((self.best.entries, -self.best.steps, self.best.queries))
        queries, steps, entries, passages = _at(self.best, order)
        return Hits(queries, entries, passages, steps / SIMILARITY_STEPS)


def _at(near: _Near, places: NDArray[Any]) -> _Near:
    return _Near(*(part[places] for part in near))


def _nearest_passages(near: _Near) -> _Near:
    """For each query and entry its nearest passage, the first of equally near ones."""
    keys = near.queries * (near.entries.max(initial=0) + 1) + near.entries
    in_order = np.sort(keys)
    repeated = in_order[1:][in_order[1:] == in_order[:-1]]
    if not len(repeated):
        return near
    rows = np.flatnonzero(np.isin(keys, repeated))
    rows = rows[np.lexsort((near.passages[rows], -near.steps[rows], keys[rows]))]
    is_kept = np.ones(len(keys), bool)
    is_kept[rows[1:][keys[rows[1:]] == keys[rows[:-1]]]] = False
    return _at(near, is_kept)


def _parts(blocks: Iterable[Block], rows: int) -> Iterator[Block]:
    """Blocks of at most so many rows."""
    for block in blocks:
        for start in range(0, len(block.vectors), rows):
            some = slice(start, start + rows)
            yield Block(*(part[some] for part in block))


def _lengths(vectors: Floats) -> Doubles:
    """The Euclidean length of each, rounded up."""
    squares = np.einsum("ij,ij->i", vectors, vectors).astype(np.float64)
    return np.sqrt(squares) * (1 + 2 * vectors.shape[1] * UNIT_ROUNDOFF)


def _rounded_down(bounds: Doubles) -> Floats:
    """In single precision, and not above."""
    return np.nextafter(bounds.astype(np.float32), np.float32(-np.inf))
