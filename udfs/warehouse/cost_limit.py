"""The most that the models of a warehouse may cost, as `HETERQA_MAX_COST` gives it."""

from __future__ import annotations

from math import isfinite
from typing import Literal, NamedTuple

from udfs.warehouse.errors import UserError


class CostLimit(NamedTuple):
    """The most that a warehouse may pay for its models."""

    amount: float
    unit: Literal["dollars", "tokens"]

    def __str__(self) -> str:
        """As `HETERQA_MAX_COST` gives it."""
        tokens = self.unit == "tokens"
        return f"{self.amount:.0f} tokens" if tokens else f"{self.amount!r}"

    def say(self, amount: float) -> str:
        """An amount in this unit, for people."""
        return f"{amount:,.0f} tokens" if self.unit == "tokens" else f"${amount:,.4f}"


def read_cost_limit(text: str) -> CostLimit:
    """ "2.50" or "$2.50" is US dollars, "500000 tokens" is tokens.

    Raises UserError for any other text.
    """
    number, _, unit = text.removeprefix("$").strip().partition(" ")
    try:
        amount = float(number)
    except ValueError:
        amount = -1.0
    is_tokens = unit.strip().lower() in ("token", "tokens") and not text.startswith("$")
    if (unit and not is_tokens) or not isfinite(amount) or amount < 0:
        raise UserError(
            f"HETERQA_MAX_COST: '{text}' is no limit; "
            "give US dollars (2.50) or tokens (500000 tokens)"
        )
    return CostLimit(amount, "tokens" if is_tokens else "dollars")
