"""The limit on what an endpoint is paid, with requests in flight."""

from __future__ import annotations

import pytest

from tests.support.fault_server import fault_server
from tests.support.quick_endpoint import ask, endpoint, request
from udfs.contracts.answer import Answer
from udfs.contracts.usage import Usage
from udfs.endpoint.ask import ask_chat
from udfs.endpoint.budget import Budget, BudgetSpent
from udfs.endpoint.requests import chat_job, most_tokens
from udfs.warehouse.cost_limit import CostLimit
from udfs.warehouse.errors import UserError


def test_the_limit_is_never_passed_and_what_was_paid_is_handed_out(tmp_path):
    price = {"input": 10.0, "output": 30.0}
    with fault_server(tmp_path, f500=0.1, schema=0.1) as server:
        shared = endpoint(server, price=price, in_flight=8)
        requests = [request(f"paid {n}", key=str(n)) for n in range(60)]
        total = sum(answer.cost for answer in ask_chat(requests, shared))
        limit = CostLimit(total / 2, "dollars")
        handed: dict[str, Answer] = {}
        written: list[Usage] = []
        budget = Budget(limit, Usage(cost=total / 8), written.append)
        with pytest.raises(BudgetSpent, match=r"HETERQA_MAX_COST: spent .* run again"):
            ask_chat(requests, shared, handed.__setitem__, budget)
        paid = sum(usage.cost for usage in written)
        assert sum(answer.cost for answer in handed.values()) <= paid + 1e-9
        assert budget.spent == pytest.approx(total / 8 + paid)
        assert budget.spent <= limit.amount
        # It stops for the next request, not long before it: the first ones are not the dear ones.
        assert budget.spent > limit.amount - 2 * 600 * 30 / 1e6
        # Raised, the rest is asked, and nothing twice.
        left = [one for one in requests if one.key not in handed]
        more = Budget(CostLimit(total * 2, "dollars"), Usage(cost=budget.spent))
        assert len(ask_chat(left, shared, budget=more)) == len(left) < 60


def test_tokens_are_a_limit_too(server):
    spent = ask(server, "tokens")
    used = spent.input_tokens + spent.output_tokens
    budget = Budget(CostLimit(used * 3 + 4000, "tokens"))
    with pytest.raises(BudgetSpent, match=r"spent [\d,]+ tokens of [\d,]+ tokens"):
        ask_chat([request(f"tokens {n}") for n in range(60)], endpoint(server), budget=budget)
    assert used <= budget.spent <= used * 3 + 4000


@pytest.mark.parametrize("fault", ["schema", "hang"])
def test_a_call_that_the_limit_cuts_off_has_no_answer_and_counts(tmp_path, fault):
    """The first reply is off schema and paid, and the repair would pass the limit; or the first
    attempt timed out, and the other request meets the limit while this one waits."""
    handed: dict[str, Answer] = {}
    written: list[Usage] = []
    asked = [request(f"{name} FAULT {fault} once", key=name) for name in ("one", "two")]
    with fault_server(tmp_path) as server:
        parameters = {"price": {"input": 1.0, "output": 1.0}, "timeout_seconds": 0.5}
        shared = endpoint(server, back_off_seconds=5, attempts=2, **parameters)
        assert ask(server, "all is well", **parameters).error is None
        most = sum(most_tokens(chat_job(asked[0], shared).body, shared)) / 1e6
        budget = Budget(CostLimit(most, "dollars"), record=written.append)
        with pytest.raises(BudgetSpent):
            ask_chat(asked, shared, handed.__setitem__, budget)
        assert handed == {}
        assert 0 < sum(usage.cost for usage in written) == pytest.approx(budget.spent)
        # With the limit raised.
        assert {answer.error for answer in ask_chat(asked, endpoint(server))} == {None}


def test_a_key_that_is_refused_meanwhile_leaves_no_answer(tmp_path):
    """The repair of a paid reply meets 401: the request is asked again once the key is right."""
    handed: dict[str, Answer] = {}
    written: list[Usage] = []
    with fault_server(tmp_path, down_after=1, down="401") as server:
        budget = Budget(record=written.append)
        with pytest.raises(UserError, match="OPENAI_API_KEY"):
            ask_chat([request("FAULT schema once")], endpoint(server), handed.__setitem__, budget)
    assert handed == {}
    assert sum(usage.input_tokens for usage in written) > 100
