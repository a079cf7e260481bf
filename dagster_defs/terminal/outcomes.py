"""Question slots: how many were certified, and the reasons that ended attempts at the others."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from dagster_defs.warehouse.dbt import BuildError
from udfs.warehouse.settings import Settings

SHOWN_REASONS = 3


@dataclass(frozen=True)
class Slots:
    """Question slots of a subset: wanted by its quota, and filled by a certified question."""

    wanted: int
    certified: int

    def __str__(self) -> str:
        return f"{self.certified} of {self.wanted}"


def read_slots(connection: duckdb.DuckDBPyConnection) -> dict[str, Slots]:
    """The slots of each subset that has any."""
    rows = connection.execute(
        "select subset, count(*), count(*) filter (is_certified)"
        " from quality.slot_outcomes group by subset"
    ).fetchall()
    return {subset: Slots(wanted, certified) for subset, wanted, certified in rows}


def explain_missing(connection: duckdb.DuckDBPyConnection) -> str:
    """The most frequent reasons that ended the attempts at the slots that stayed empty; or ''."""
    rows = connection.execute(
        "select reason, attempt_count from quality.empty_slot_reasons"
        f" order by attempt_count desc, reason limit {SHOWN_REASONS}"
    ).fetchall()
    return ", ".join(f"{reason} ({attempts:,})" for reason, attempts in rows)


def require_questions(settings: Settings) -> None:
    """Raises BuildError when the build certified no question: there is nothing to publish."""
    with duckdb.connect(settings.build_path, read_only=True) as connection:
        slots = read_slots(connection).values()
        if any(slot.certified for slot in slots):
            return
        wanted = sum(slot.wanted for slot in slots)
        reasons = explain_missing(connection) or "the collection has no record to start from"
    raise BuildError(
        f"none of the {wanted} wanted questions could be certified, so nothing is published; "
        f"what ended the attempts: {reasons}"
    )
