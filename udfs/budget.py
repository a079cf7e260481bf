"""What a warehouse may spend on its models: `HETERQA_MAX_COST`, in US dollars or in tokens.

A request is sent only after the most that it can cost is reserved, so the limit is never passed,
however many are in flight.
"""

from __future__ import annotations

import threading
from math import inf
from typing import TYPE_CHECKING

from udfs.settings import CostLimit, UserError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from udfs.endpoint import Endpoint, Price


class BudgetSpent(UserError):
    """The next request could pass the limit. Raised once all that was paid is handed out."""


class Budget:
    """Counts what is spent and what is reserved; one for all roles and threads of a process.

    `spent` starts with what the warehouse has paid before, in the unit of the limit. Without a
    limit everything may be reserved.
    """

    def __init__(self, limit: CostLimit | None = None, spent: float = 0.0) -> None:
        self.limit = limit
        self._spent = spent
        self._reserved = 0.0
        self._in_flight = 0
        self._lock = threading.Lock()

    @property
    def spent(self) -> float:
        with self._lock:
            return self._spent

    @property
    def has_reserved(self) -> bool:
        """Whether some request in flight may still give back a part of its reservation."""
        with self._lock:
            return self._in_flight > 0

    def amount(self, input_tokens: int, output_tokens: int, price: Price | None) -> float:
        """What so many tokens count, in the unit of the limit."""
        if self.limit is not None and self.limit.unit == "tokens":
            return float(input_tokens + output_tokens)
        return cost_of(input_tokens, output_tokens, price)

    def reserve(self, amount: float) -> bool:
        """Set so much aside; False when that could pass the limit. `settle` ends it."""
        with self._lock:
            room = inf if self.limit is None else self.limit.amount - self._spent - self._reserved
            # The tolerance is for the order in which fractions of a dollar were added.
            if amount > room + 1e-9:
                return False
            self._reserved += amount
            self._in_flight += 1
            return True

    def settle(self, reserved: float, paid: float) -> None:
        """Turn what was reserved for a request into what it has cost."""
        with self._lock:
            self._spent += paid
            self._in_flight -= 1
            self._reserved = self._reserved - reserved if self._in_flight else 0.0

    def stop(self, needed: float) -> BudgetSpent:
        """The error that says what was spent, what the next request may cost, and what to do."""
        assert self.limit is not None
        said = self.limit.say
        return BudgetSpent(
            f"HETERQA_MAX_COST: spent {said(self.spent)} of {said(self.limit.amount)}, and the "
            f"next request may cost {said(needed)}; raise HETERQA_MAX_COST and run again: what was "
            "paid is kept"
        )


def cost_of(input_tokens: int, output_tokens: int, price: Price | None) -> float:
    """US dollars by the price table; 0 without one."""
    if price is None:
        return 0.0
    return (input_tokens * price.input + output_tokens * price.output) / 1e6


def check_prices(limit: CostLimit | None, endpoints: Mapping[str, Endpoint]) -> None:
    """Raise UserError when money is limited and an endpoint (by role) has no price."""
    if limit is None or limit.unit != "dollars":
        return
    for role, endpoint in endpoints.items():
        if endpoint.price is None:
            raise UserError(
                f"HETERQA_MAX_COST: {limit} limits money, but role {role} has no `price` in the "
                "profile; add `price: {input: .., output: ..}` (US dollars per million tokens, 0 "
                'for a server of your own), or limit tokens ("500000 tokens")'
            )
