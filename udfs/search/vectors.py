"""Vectors and numbers out of DuckDB, as arrays of numpy, a batch at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from udfs.search.nearest import Block

# Rows in Python at a time: 13 MB of vectors of 384.
BATCH_ROWS = 8192


def read_vectors(relation: duckdb.DuckDBPyRelation) -> NDArray[np.float32]:
    """The first column, lists of equal length, as the rows of a matrix."""
    return _matrix(relation.to_arrow_table().column(0).combine_chunks())


def read_blocks(relation: duckdb.DuckDBPyRelation) -> Iterator[Block]:
    """Its rows with a vector, columns in the order of a Block; no other query may run meanwhile.

    Rows without a vector are dropped here and not by a filter in SQL: DuckDB expects a filter to
    keep a fifth of the rows, would take the vectors for the smaller side of a join, and would put
    all of them into the join's hash table.
    """
    for batch in relation.to_arrow_reader(BATCH_ROWS):
        vectors, *numbers = batch.drop_null().columns
        yield Block(_matrix(vectors), *(column.to_numpy() for column in numbers))


def read_pairs(
    relation: duckdb.DuckDBPyRelation,
) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Its rows of two columns, a batch at a time."""
    for batch in relation.to_arrow_reader(100 * BATCH_ROWS):
        first, second = batch.columns
        yield first.to_numpy(), second.to_numpy()


def _matrix(lists: pa.ListArray) -> NDArray[np.float32]:
    """Raises ValueError when the lists are not equally long."""
    if not len(lists):
        return np.empty((0, 0), np.float32)
    lengths = np.unique(lists.value_lengths().to_numpy())
    if len(lengths) > 1:
        raise ValueError(f"vectors of {lengths[0]} and of {lengths[-1]} numbers in one search")
    return lists.flatten().to_numpy().reshape(len(lists), -1)
