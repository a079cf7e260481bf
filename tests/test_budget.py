"""The budget: how HETERQA_MAX_COST is read, and that it is never passed."""

from __future__ import annotations

import gzip
import random
import threading
from dataclasses import replace

import duckdb
import pytest

from udfs.budget import Budget, check_prices, cost_of
from udfs.endpoint import Endpoint, Price
from udfs.ledger import IMPORTS, JOURNAL, spent_before
from udfs.settings import CostLimit, Settings, UserError


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("", None),
        ("2.50", CostLimit(2.5, "dollars")),
        ("$3", CostLimit(3.0, "dollars")),
        ("0", CostLimit(0.0, "dollars")),
        (" 500000 tokens ", CostLimit(500_000, "tokens")),
        ("1_000_000 Tokens", CostLimit(1_000_000, "tokens")),
    ],
)
def test_the_limit_is_money_or_tokens(text, limit):
    settings = Settings.from_env({"HETERQA_MAX_COST": text})
    assert settings.max_cost == limit
    assert Settings.from_env(settings.to_env()).max_cost == limit


@pytest.mark.parametrize("text", ["2,50", "-1", "much", "5 euros", "nan", "inf", "$5 tokens"])
def test_what_is_no_limit_is_refused(text):
    with pytest.raises(UserError, match=r"HETERQA_MAX_COST: .*500000 tokens"):
        Settings.from_env({"HETERQA_MAX_COST": text})


def test_cost_is_by_the_price_table():
    assert cost_of(1_000_000, 500_000, Price(input=0.15, output=0.6)) == pytest.approx(0.45)
    assert cost_of(1000, 1000, None) == 0


def test_money_needs_a_price_for_each_paid_role():
    free = Endpoint(backend="openai", model="m", price={"input": 0, "output": 0})
    unknown = Endpoint(backend="openai", model="m")
    check_prices(CostLimit(1, "dollars"), {"judge": free})
    check_prices(CostLimit(1000, "tokens"), {"judge": unknown})
    check_prices(None, {"judge": unknown})
    with pytest.raises(UserError, match="role writer has no `price`"):
        check_prices(CostLimit(1, "dollars"), {"judge": free, "writer": unknown})


def test_what_is_reserved_counts_until_it_is_settled():
    budget = Budget(CostLimit(100, "tokens"), spent=40)
    assert budget.reserve(50)
    assert not budget.reserve(20)
    assert budget.has_reserved
    budget.settle(50, 10)
    assert (budget.spent, budget.has_reserved) == (50, False)
    assert budget.reserve(50)
    assert not budget.reserve(1)


def test_an_exact_fit_of_fractions_is_no_overrun():
    budget = Budget(CostLimit(0.3, "dollars"))
    assert all(budget.reserve(0.1) for _ in range(3))
    assert not budget.reserve(0.0001)


def test_without_a_limit_everything_is_counted_and_nothing_refused():
    budget = Budget()
    assert budget.reserve(1e9)
    budget.settle(1e9, 5.0)
    assert budget.spent == 5.0


def test_many_threads_never_pass_the_limit():
    budget = Budget(CostLimit(10_000, "tokens"))
    above: list[float] = []

    def spend(seed: int) -> None:
        draws = random.Random(seed)
        for _ in range(500):
            most = draws.randint(1, 40)
            if budget.reserve(most):
                budget.settle(most, draws.randint(0, most))
            if budget.spent > 10_000:
                above.append(budget.spent)

    threads = [threading.Thread(target=spend, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not above
    assert 9_960 < budget.spent <= 10_000


def test_the_message_says_what_was_spent_of_what_and_what_to_do():
    budget = Budget(CostLimit(2.5, "dollars"), spent=2.4375)
    message = str(budget.stop(0.1))
    assert "spent $2.4375 of $2.5000" in message
    assert "raise HETERQA_MAX_COST and run again" in message
    assert "kept" in message


def test_what_a_warehouse_has_paid_before(tmp_path):
    """Its tables and its journal, each call once; not what was imported, nor what costs nothing."""
    settings = Settings.from_env({"HETERQA_WAREHOUSE": str(tmp_path), "HETERQA_MAX_COST": "9"})
    settings.ledger_dir.mkdir()
    connection = duckdb.connect()
    connection.execute(
        "create table answers (request_key varchar, attempts int, model varchar, cost double,"
        " input_tokens bigint, output_tokens bigint)"
    )
    assert spent_before(connection, settings, {"free"}) == 0
    connection.execute(
        "insert into answers values ('a', 1, 'm', 1, 10, 1), ('b', 1, 'm', 2, 20, 2),"
        " ('c', 1, 'free', 64, 640, 64)"
    )
    entry = '{"request_key": "%s", "answer": {"cost": %d, "input_tokens": 1, "output_tokens": 1}}\n'
    journal = "".join(entry % row for row in (("a", 1), ("d", 4), ("d", 4)))
    (settings.ledger_dir / JOURNAL).write_text(journal + '{"request_key": "e", "ans')
    assert spent_before(connection, settings, {"free"}) == 1 + 2 + 8
    with gzip.open(settings.ledger_dir / IMPORTS.replace("*", "x"), "wt") as file:
        file.write(entry % ("b", 2))
    assert spent_before(connection, settings, {"free"}) == 1 + 8
    tokens = replace(settings, max_cost=CostLimit(9, "tokens"))
    assert spent_before(connection, tokens, {"free"}) == 11 + 4
    assert spent_before(connection, replace(settings, max_cost=None), {"free"}) == 0
