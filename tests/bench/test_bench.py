"""The limits of the benchmarks: what is met, what is missed, and what was not measured."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.bench import initialize, recovery, search
from tests.bench.limits import Limit, hold_to
from udfs.warehouse.errors import UserError

QUICK = Limit("under 2 s", "1 s", True)
LARGE = Limit("within 3 GB", "4 GB", False)
WRONG = Limit("all right", "7 wrong", False)
FULL = search.FULL


def verdicts(limits: list[Limit]) -> list[tuple[str, bool]]:
    return [(limit.measured, limit.is_met) for limit in limits]


def test_limits_that_are_met_end_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert hold_to([QUICK]) == 0
    printed = capsys.readouterr()
    assert printed.out == "\nwanted: under 2 s; measured: 1 s (met)\n"
    assert printed.err == ""


def test_limits_that_are_missed_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert hold_to([LARGE, QUICK, WRONG]) == 1
    printed = capsys.readouterr()
    assert "measured: 4 GB (missed)" in printed.out
    assert printed.err == "error: missed: within 3 GB (4 GB); all right (7 wrong)\n"


def write_audits(path: Path, *truths: tuple[Any, ...], expected: float | None = None) -> None:
    """A warehouse with these rows of truth, and one of what the build expected of all fields."""
    with duckdb.connect(path) as connection:
        connection.execute("create schema quality")
        connection.execute(
            "create table quality.truth_audit (step varchar, slice varchar, precision double,"
            " recall double, predicted_count bigint)"
        )
        connection.execute(
            "create table quality.recovery_audit as select '*' as field, 'all' as channel,"
            " 'all' as value, $expected::double as expected_precision",
            {"expected": expected},
        )
        for truth in truths:
            connection.execute("insert into quality.truth_audit values (?, ?, ?, ?, ?)", truth)


def test_all_fields_come_before_the_worst(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    write_audits(
        path,
        ("graph", "all", 0.5, 0.5, 10),
        ("recovery", "wifi", 0.75, 0.5, 40),
        ("recovery", "dogs", 1, 0.5, 30),
        # As many are wrong as of all fields.
        ("recovery", "alcohol", 0.2, 0.25, 50),
        ("recovery", "all", 0.96, 0.75, 1000),
        expected=0.98,
    )
    assert recovery.read_audit(path) == [
        ("all", 1000, 40, 0.96, 0.75, 0.98),
        ("alcohol", 50, 40, 0.2, 0.25, 0),
        ("wifi", 40, 10, 0.75, 0.5, 0),
    ]


def test_a_warehouse_that_tells_nothing_is_an_error_in_words(tmp_path: Path) -> None:
    missing, other, untold = (tmp_path / f"{name}.duckdb" for name in ("missing", "other", "own"))
    with pytest.raises(UserError, match=r"missing\.duckdb: there is no published warehouse; run"):
        recovery.read_audit(missing)
    assert not missing.exists()
    duckdb.connect(other).close()
    with pytest.raises(UserError, match=r"other\.duckdb: cannot be read \(.*\); run `make run`"):
        recovery.read_audit(other)
    write_audits(untold, ("graph", "all", 1, 1, 10))
    with pytest.raises(UserError, match=r"own\.duckdb: holds no planted truth; only the sample"):
        recovery.read_audit(untold)


def test_a_missing_warehouse_ends_with_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HETERQA_WAREHOUSE", str(tmp_path))
    assert recovery.main() == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("error: ") and printed.err.count("\n") == 1


def test_recovery_is_held_to_precision_recall_and_what_was_expected() -> None:
    worst = ("wifi", 40, 30, 0.25, 0.1, 0.9)
    assert verdicts(recovery.limits([("all", 1000, 50, 0.95, 0.6, 0.99), worst])) == [
        ("0.95", True),
        ("0.6", True),
        ("0.99 against 0.95", True),
    ]
    assert verdicts(recovery.limits([("all", 1000, 51, 0.949, 0.599, 0.89)])) == [
        ("0.949", False),
        ("0.599", False),
        ("0.89 against 0.949", False),
    ]
    # Told to be wrong, and wrong.
    assert [limit.is_met for limit in recovery.limits([("all", 9, 9, 0, 0, 0)])] == [0, 0, 1]


def test_nothing_recovered_meets_no_limit(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    write_audits(path, ("recovery", "all", None, 0, 0))
    found = recovery.limits(recovery.read_audit(path))
    assert verdicts(found) == [("nothing was recovered", False)] * 3


def searched(vectors: int, seconds: float, gigabytes: float, **others: Any) -> dict[str, Any]:
    return {
        "vectors": vectors,
        "plain s": None,
        "masked s": seconds,
        "peak GB": gigabytes,
    } | others


def test_a_search_is_held_to_its_ratio_time_growth_and_memory() -> None:
    first = searched(FULL // 8, 100, 1, **{"plain s": 60, "ratio": 1.5})
    middle = searched(FULL // 4, 1, 2)
    assert verdicts(search.limits([first, middle, searched(FULL // 2, 449, 10 / 3)])) == [
        ("1.50 times", True),
        (f"15.0 min at the pace of {FULL // 2:,}", True),
        ("1.12 times", True),
        ("6.0 GB", True),
    ]
    first["ratio"] = 1.51
    assert verdicts(search.limits([first, middle, searched(FULL // 2, 602, 3.4)])) == [
        ("1.51 times", False),
        (f"20.1 min at the pace of {FULL // 2:,}", False),
        ("1.50 times", False),
        ("6.2 GB", False),
    ]


def test_a_table_is_held_to_its_own_time_and_memory() -> None:
    rows = [
        searched(FULL // 4, 10, 1, **{"table s": 100, "table GB": 2}),
        searched(FULL // 2, 20, 1, **{"table s": 500, "table GB": 5}),
    ]
    limits = search.limits(rows)
    assert [limit.is_met for limit in limits] == [True] * 3 + [False] * 3
    assert all("a table" in limit.wanted for limit in limits[3:])
    assert verdicts(limits[3:]) == [
        (f"16.7 min at the pace of {FULL // 2:,}", False),
        ("2.50 times", False),
        ("11.0 GB", False),
    ]


def test_one_size_of_a_search_tells_no_growth() -> None:
    assert verdicts(search.limits([searched(FULL // 2, 30, 1)])) == [
        (f"1.0 min at the pace of {FULL // 2:,}", True)
    ]
    assert verdicts(search.limits([searched(FULL, 60, 7)])) == [
        (f"1.0 min at the pace of {FULL:,}", True),
        ("7.0 GB", False),
    ]


def test_attempts_are_held_to_their_time_and_ratio() -> None:
    assert verdicts(initialize.limits({10: 29.5, 20: 59})) == [
        ("59.0 s", True),
        ("2.00 times", True),
    ]
    assert verdicts(initialize.limits({10: 29, 20: 60})) == [
        ("60.0 s", False),
        ("2.07 times", False),
    ]
    assert verdicts(initialize.limits({10: 59})) == [("59.0 s", True)]


def test_sizes_of_records_are_measured_as_they_grow(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    loaded: list[int] = []
    monkeypatch.setattr(sys, "argv", ["initialize", "--records", "2000", "10", "2000"])
    monkeypatch.setattr(initialize, "connection", lambda *_: None)
    monkeypatch.setattr(initialize, "load", lambda _, records: loaded.append(records))
    models = (*initialize.BEFORE, *initialize.INITIALIZE)
    monkeypatch.setattr(initialize, "measure", lambda *_: dict.fromkeys(models, 0.001 * loaded[-1]))
    assert initialize.main() == 1
    assert loaded == [10, 2000]
    printed = capsys.readouterr()
    assert "at 2,000 records under 60 s; measured: 18.0 s (met)" in printed.out
    assert printed.err == "error: missed: at most 2 times the cost at 10 records (200.00 times)\n"
