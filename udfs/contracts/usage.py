"""What calls of endpoints take, as the budget counts it and the journal keeps it."""

from __future__ import annotations

from typing import NamedTuple


class Usage(NamedTuple):
    """Tokens, and the cost in US dollars."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0

    def minus(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens - other.input_tokens,
            self.output_tokens - other.output_tokens,
            self.cost - other.cost,
        )
