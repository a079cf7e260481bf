"""The logistic model of recovery: who judges whom, what it learns, and on any number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from udfs.search import calibrate
from udfs.search.calibrate import Pairs, Shrinkage, probabilities

SHRINKAGE = Shrinkage(strength=1.0, claim=0.7, field=0.7)
FOLDS = 5


def make_pairs(rows: int = 600, fields: int = 4, known: int = 450, seed: int = 1) -> Pairs:
    """Signals that tell the truth of a logistic law, other base rates in each field."""
    random = np.random.default_rng(seed)
    of_field = np.arange(rows) % fields
    signals = random.normal(size=(rows, 3)).round(4)
    logits = 2 * signals[:, 0] - signals[:, 1] + of_field - 1
    is_true = (random.random(rows) < 1 / (1 + np.exp(-logits))).astype(np.int64)
    is_true[known:] = -1
    return Pairs(
        claims=[f"c{n}" for n in of_field],
        fields=[f"f{n}" for n in of_field],
        signals=signals,
        net=signals[:, 0].round(4),
        is_true=is_true,
        fold=np.arange(rows) * 7 % FOLDS,
    )


def test_no_value_judges_itself() -> None:
    pairs = make_pairs()
    before = probabilities(pairs, SHRINKAGE)
    turned = pairs.is_true.copy()
    in_fold = (pairs.fold == 2) & (turned >= 0)
    turned[in_fold] = 1 - turned[in_fold]
    after = probabilities(pairs._replace(is_true=turned), SHRINKAGE)
    assert (before[in_fold] == after[in_fold]).all()
    others = (pairs.fold != 2) & (turned >= 0)
    assert (before[others] != after[others]).mean() > 0.9
    assert (before[turned < 0] != after[turned < 0]).mean() > 0.9


def test_probabilities_are_what_happens() -> None:
    pairs = make_pairs(rows=4000, known=4000)
    found = probabilities(pairs, SHRINKAGE)
    for tenth in range(10):
        inside = (found >= tenth / 10) & (found < (tenth + 1) / 10)
        assert abs(found[inside].mean() - pairs.is_true[inside].mean()) < 0.08


def test_the_same_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = make_pairs(rows=3000, known=2500, fields=40)
    fit, seen = calibrate._fit, []

    def watched(*arguments: Any) -> Any:
        seen.extend(pool["num_threads"] for pool in threadpool_info())
        return fit(*arguments)

    monkeypatch.setattr(calibrate, "_fit", watched)
    answers = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            answers.append(probabilities(pairs, SHRINKAGE))
    assert (answers[0] == answers[1]).all()
    # Rounding hides most of what an order of sums changes, so the threads are counted, too.
    assert set(seen) == {1}


def test_unknown_values_do_not_matter_to_the_model() -> None:
    pairs = make_pairs()
    known = pairs.is_true >= 0
    fewer = Pairs(
        claims=[name for name, kept in zip(pairs.claims, known, strict=True) if kept],
        fields=[name for name, kept in zip(pairs.fields, known, strict=True) if kept],
        signals=pairs.signals[known],
        net=pairs.net[known],
        is_true=pairs.is_true[known],
        fold=pairs.fold[known],
    )
    assert (probabilities(pairs, SHRINKAGE)[known] == probabilities(fewer, SHRINKAGE)).all()


def test_a_field_of_its_own_mind_is_believed_when_it_has_the_values() -> None:
    def turned(values: int) -> float:
        """Probability of a strong claim in a field whose evidence says the opposite."""
        strange = np.arange(values + 1)
        pairs = make_pairs(rows=800, known=800, fields=1)
        net = np.where(strange % 2 == 0, 0.8, -0.8)
        signals = np.column_stack([net, np.zeros((values + 1, 2))])
        is_true = (net < 0).astype(np.int64)
        is_true[0] = -1
        both = Pairs(
            claims=[*pairs.claims, *["odd"] * (values + 1)],
            fields=[*pairs.fields, *["odd"] * (values + 1)],
            signals=np.vstack([pairs.signals, signals]),
            net=np.concatenate([pairs.net, net]),
            is_true=np.concatenate([pairs.is_true, is_true]),
            fold=np.concatenate([pairs.fold, strange % FOLDS]),
        )
        return float(probabilities(both, SHRINKAGE)[800])

    assert turned(0) > 0.5
    assert turned(0) > turned(6) > turned(300)
    assert turned(300) < 0.2


def test_without_two_kinds_of_values_the_evidence_speaks_for_itself() -> None:
    pairs = make_pairs(rows=6, known=6)
    only_true = pairs._replace(is_true=np.array([1, 1, 1, 1, -1, -1]))
    expected = np.round(1 / (1 + np.exp(-pairs.net / 2)), 4)
    assert (probabilities(only_true, SHRINKAGE) == expected).all()
    assert probabilities(pairs._replace(is_true=np.full(6, -1)), SHRINKAGE).tolist() == (
        expected.tolist()
    )
