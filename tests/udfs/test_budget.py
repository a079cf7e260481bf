"""The budget: how HETERQA_MAX_COST is read, and that it is never passed."""

from __future__ import annotations

import random
import threading

import pytest

from udfs.contracts.usage import Usage
from udfs.endpoint.budget import Budget, BudgetSpent, check_prices, cost_of
from udfs.profiles.parameters import Endpoint, Price
from udfs.warehouse.cost_limit import CostLimit
from udfs.warehouse.errors import UserError
from udfs.warehouse.journal import JOURNAL, Journal, paid_so_far
from udfs.warehouse.settings import Settings


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
    budget = Budget(CostLimit(100, "tokens"), Usage(30, 10, 500.0))
    assert budget.reserve(Usage(30, 20))
    assert not budget.reserve(Usage(20))
    budget.settle(Usage(30, 20), Usage(8, 2))
    assert budget.spent == 50
    assert budget.reserve(Usage(0, 50))
    assert not budget.reserve(Usage(1))


def test_the_amount_in_the_message_is_final():
    """What is in flight is waited for, and nothing is sent once the message is written."""
    budget = Budget(CostLimit(100, "tokens"))
    assert budget.reserve(Usage(60))
    assert not budget.reserve(Usage(70))
    budget.settle(Usage(60), Usage(55))
    with pytest.raises(BudgetSpent, match=r"spent 55 tokens of 100 tokens.* may cost 70 tokens"):
        budget.reserve(Usage(70))
    # A smaller request of another batch would fit, and would make the 55 wrong.
    with pytest.raises(BudgetSpent, match=r"spent 55 tokens of 100 tokens.* may cost 70 tokens"):
        budget.reserve(Usage(1))
    assert budget.spent == 55


def test_an_exact_fit_of_fractions_is_no_overrun():
    budget = Budget(CostLimit(0.3, "dollars"))
    assert all(budget.reserve(Usage(cost=0.1)) for _ in range(3))
    assert not budget.reserve(Usage(cost=0.0001))


def test_without_a_limit_everything_is_counted_and_nothing_refused():
    budget = Budget()
    assert budget.reserve(Usage(cost=1e9))
    budget.settle(Usage(cost=1e9), Usage(cost=5.0))
    assert budget.spent == 5.0


def test_many_threads_never_pass_the_limit():
    budget = Budget(CostLimit(10_000, "tokens"))
    above: list[float] = []

    def spend(seed: int) -> None:
        draws = random.Random(seed)
        for _ in range(500):
            most = draws.randint(1, 40)
            try:
                if budget.reserve(Usage(most)):
                    budget.settle(Usage(most), Usage(draws.randint(0, most)))
            except BudgetSpent:
                return
            finally:
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
    budget = Budget(CostLimit(2.5, "dollars"), Usage(cost=2.4375))
    with pytest.raises(BudgetSpent) as stopped:
        budget.reserve(Usage(cost=0.1))
    assert str(stopped.value) == (
        "HETERQA_MAX_COST: spent $2.4375 of $2.5000, and the next request may cost $0.1000; "
        "raise HETERQA_MAX_COST and run again: what was paid is kept"
    )


def test_what_is_written_down_adds_up_to_what_was_paid(tmp_path):
    """A call that was cut off counts as the most that it can have cost."""
    settings = Settings.from_env({"HETERQA_WAREHOUSE": str(tmp_path)})
    assert paid_so_far(settings) == Usage()
    journal = Journal(settings.ledger_dir / JOURNAL)
    budget = Budget(CostLimit(9, "dollars"), Usage(cost=1.0), journal.record)
    most, paid = Usage(100, 600, 2.0), Usage(20, 30, 0.5)
    assert budget.reserve(most)
    assert paid_so_far(settings) == most
    budget.settle(most, paid)
    journal.write("a", {"error": None, "attempts": 1, "cost": 0.5})
    assert paid_so_far(settings) == paid
    assert budget.reserve(most)
    assert not budget.reserve(Usage(cost=9.0))
    assert paid_so_far(settings) == Usage(120, 630, 2.5)
    assert budget.spent == 1.5
    with (settings.ledger_dir / JOURNAL).open("a") as file:
        file.write('{"usage": {"input_tokens": 5, "output')
    assert paid_so_far(settings) == Usage(120, 630, 2.5)


def test_a_full_disk_reserves_nothing_that_is_sent():
    def full(usage: Usage) -> None:
        raise OSError(28, "no space left")

    budget = Budget(CostLimit(1.5, "dollars"), record=full)
    with pytest.raises(OSError, match="no space left"):
        budget.reserve(Usage(1, 1, 1.0))
    # Nothing is in flight: a request without room for it must not wait for a part that comes back.
    with pytest.raises(OSError, match="no space left"):
        budget.reserve(Usage(1, 1, 1.0))
    with pytest.raises(BudgetSpent):
        budget.reserve(Usage(1, 1, 2.0))
