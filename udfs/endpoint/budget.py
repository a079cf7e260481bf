"""What a warehouse may spend on its models: `HETERQA_MAX_COST`, in US dollars or in tokens.

A request is sent only after the most that it can cost is reserved, so the limit is never passed,
however many are in flight. Reservations and payments are written down as they happen: what was
reserved for a call that a kill cut off may have been paid, and so it counts in the next build.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from math import inf

from udfs.contracts.usage import Usage
from udfs.profiles.parameters import Endpoint, Price
from udfs.warehouse.cost_limit import CostLimit
from udfs.warehouse.errors import UserError


class BudgetSpent(UserError):
    """The next request could pass the limit. Raised when no request is in flight any more."""


class Budget:
    """Counts what is spent and what is reserved; one for all roles and threads of a process.

    paid: what the warehouse has paid before. record: is given each reservation before its request
    is sent, and then the cost of the request less its reservation. Without a limit any amount may
    be reserved.
    """

    def __init__(
        self,
        limit: CostLimit | None = None,
        paid: Usage | None = None,
        record: Callable[[Usage], None] | None = None,
    ) -> None:
        self.limit = limit
        self._record = record
        self._spent = self._amount(paid or Usage())
        self._reserved = 0.0
        self._in_flight = 0
        # Why no request is sent any more: the amount in it is final.
        self._ended: str | None = None
        self._lock = threading.Lock()

    @property
    def spent(self) -> float:
        with self._lock:
            return self._spent

    def _amount(self, usage: Usage) -> float:
        """How much a usage counts, in the unit of the limit."""
        if self.limit is not None and self.limit.unit == "tokens":
            return float(usage.input_tokens + usage.output_tokens)
        return usage.cost

    def reserve(self, most: Usage) -> bool:
        """Set so much aside, which `settle` ends; False while there is no room for it, but a
        request in flight may still give back a part of its reservation.

        Raises BudgetSpent when none is in flight, and from then on for every request of every
        thread: whatever was sent afterwards would make the amount in the message wrong.
        """
        amount = self._amount(most)
        with self._lock:
            if self._ended is not None:
                raise BudgetSpent(self._ended)
            room = inf if self.limit is None else self.limit.amount - self._spent - self._reserved
            # The tolerance is for the order in which fractions of a dollar were added.
            if amount > room + 1e-9:
                if self._in_flight:
                    return False
                self._ended = self._say_spent(amount)
                raise BudgetSpent(self._ended)
            self._reserved += amount
            self._in_flight += 1
        try:
            if self._record is not None:
                self._record(most)
        except BaseException:
            # The request is not sent: what was set aside for it would never be given back.
            self._release(amount)
            raise
        return True

    def settle(self, most: Usage, paid: Usage) -> None:
        """Turn what was reserved for a request into what it has cost."""
        with self._lock:
            self._spent += self._amount(paid)
        self._release(self._amount(most))
        if self._record is not None:
            self._record(paid.minus(most))

    def _release(self, amount: float) -> None:
        """Give back the reservation of a request that is in flight no more."""
        with self._lock:
            self._in_flight -= 1
            self._reserved = self._reserved - amount if self._in_flight else 0.0

    def _say_spent(self, needed: float) -> str:
        """What was spent, what the next request may cost, and what to do."""
        assert self.limit is not None
        said = self.limit.say
        return (
            f"HETERQA_MAX_COST: spent {said(self._spent)} of {said(self.limit.amount)}, and the "
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
