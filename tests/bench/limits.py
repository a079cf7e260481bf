"""What a benchmark is held to: it says what is wanted, and ends with 1 when that is missed."""

from __future__ import annotations

import sys
from typing import NamedTuple


class Limit(NamedTuple):
    """What is wanted and what was measured, in words, and whether that will do."""

    wanted: str
    measured: str
    is_met: bool


def hold_to(limits: list[Limit]) -> int:
    """Print the limits; the exit code, and one sentence that names what is missed."""
    print()
    for limit in limits:
        verdict = "met" if limit.is_met else "missed"
        print(f"wanted: {limit.wanted}; measured: {limit.measured} ({verdict})", flush=True)
    missed = [f"{limit.wanted} ({limit.measured})" for limit in limits if not limit.is_met]
    if missed:
        print(f"error: missed: {'; '.join(missed)}", file=sys.stderr)
    return int(bool(missed))
