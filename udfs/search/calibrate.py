"""How probable a claim is, given what the evidence says: a logistic model over signals, learned
from known values that were hidden.

One model serves all fields. Ridge terms let each claim have its own base rate and each field its
own trust in the evidence, as far as its hidden values carry them: a field with few keeps to the
common curve. It is fitted once without each fold of records, and hidden values get the probability
of the model that has not seen their record; unknown values get that of the model over all hidden
ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


class Pairs(NamedTuple):
    """Claims tried on records, one row each, in the order of their keys.

    signals: rows x signals; net: log odds of what the evidence says, above 0 for the claim;
    is_true: 1, 0, or -1 where it is unknown; fold: the record's, from 0.
    """

    claims: Sequence[str]
    fields: Sequence[str]
    signals: Matrix
    net: Matrix
    is_true: NDArray[np.int64]
    fold: NDArray[np.int64]


class Shrinkage(NamedTuple):
    """How far the model goes: C of the ridge, and what a claim's and a field's own terms weigh
    beside the common ones."""

    strength: float
    claim: float
    field: float


def probabilities(pairs: Pairs, shrinkage: Shrinkage) -> Matrix:
    """The probability that each claim is true, in [0, 1], to 4 decimals.

    Where a fit has hidden values of one kind only, there is nothing to learn: the net evidence
    speaks for itself.
    """
    from threadpoolctl import threadpool_limits

    design = _design(pairs, shrinkage)
    known = pairs.is_true >= 0
    answers: Matrix = 1 / (1 + np.exp(-pairs.net / 2))
    # One thread: sums in another order would differ in their last bits.
    with threadpool_limits(1):
        for fold in sorted({-1, *pairs.fold[known].tolist()}):
            train = known & (pairs.fold != fold)
            asked = ~known if fold == -1 else known & (pairs.fold == fold)
            if asked.any() and len(set(pairs.is_true[train].tolist())) == 2:
                answers[asked] = _fit(design[train], pairs.is_true[train], design[asked], shrinkage)
    return np.round(answers, 4)


def _fit(train: Matrix, is_true: NDArray[np.int64], asked: Matrix, shrinkage: Shrinkage) -> Matrix:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(
        C=shrinkage.strength, solver="newton-cholesky", tol=1e-8, max_iter=200
    )
    model.fit(train, is_true)
    answers: Matrix = model.predict_proba(asked)[:, 1]
    return answers


def _design(pairs: Pairs, shrinkage: Shrinkage) -> Matrix:
    """The signals, of variance 1 over the hidden values, then the terms of claims and fields."""
    known = pairs.is_true >= 0
    signals = np.column_stack([pairs.signals, pairs.net])
    spread = signals[known].std(axis=0) if known.any() else np.ones(signals.shape[1])
    scaled = signals / np.where(spread > 0, spread, 1.0)
    claims = _one_hot(pairs.claims) * shrinkage.claim
    fields = _one_hot(pairs.fields) * scaled[:, -1:] * shrinkage.field
    return np.hstack([scaled, claims, fields])


def _one_hot(names: Sequence[str]) -> Matrix:
    order = {name: column for column, name in enumerate(sorted(set(names)))}
    columns = np.array([order[name] for name in names], dtype=np.int64)
    return np.eye(len(order), dtype=np.float64)[columns]


def read_matrix(table: Any, columns: Sequence[str]) -> Matrix:
    """Columns of an Arrow table as a matrix of doubles."""
    return np.column_stack(
        [table.column(name).to_numpy(zero_copy_only=False).astype(np.float64) for name in columns]
    )
