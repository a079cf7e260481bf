"""`make bench-recovery`: the recovery of the sample city's last build, against its planted truth.

Reads the published warehouse and builds nothing. `expected` is the precision that the build itself
expects of what it recovered, going by known values that it hid. Of the fields, those are shown
that have most values wrong.
"""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb

from tests.bench.limits import Limit, hold_to
from udfs.warehouse.errors import UserError
from udfs.warehouse.settings import Settings

LEAST_PRECISION, LEAST_RECALL, MOST_APART = 0.95, 0.60, 0.05
FIELDS = 8
# All fields come first. Where nothing was recovered there is no precision: none of it was right.
AUDIT = f"""
    select
        slice,
        predicted_count as recovered_count,
        round(predicted_count * (1 - coalesce(truth.precision, 0)))::integer as wrong_count,
        coalesce(truth.precision, 0),
        coalesce(truth.recall, 0),
        coalesce(audit.expected_precision, 0),
    from quality.truth_audit as truth
    left join quality.recovery_audit as audit
        on
            if(slice = 'all', '*', slice) = audit.field
            and audit.channel = 'all' and audit.value = 'all'
    where step = 'recovery' and (slice = 'all' or wrong_count > 0)
    order by slice = 'all' desc, wrong_count desc, slice
    limit {1 + FIELDS}
"""

Row = tuple[str, int, int, float, float, float]


def read_audit(path: Path) -> list[Row]:
    """All fields and the worst ones. Raises UserError where no recovery met a planted truth."""
    if not path.exists():
        raise UserError(f"{path}: there is no published warehouse; run `make run` first")
    try:
        with duckdb.connect(path, read_only=True) as connection:
            rows = connection.execute(AUDIT).fetchall()
    except duckdb.Error as error:
        reason = str(error).splitlines()[0]
        raise UserError(f"{path}: cannot be read ({reason}); run `make run` again") from None
    if not rows:
        raise UserError(
            f"{path}: holds no planted truth; only the sample city has one, "
            "which is built without HETERQA_DATA"
        )
    return rows


def limits(rows: list[Row]) -> list[Limit]:
    """What all fields are held to. Where nothing was recovered, there is nothing that will do."""
    _, recovered, _, precision, recall, expected = rows[0]
    wanted = [
        Limit(
            f"precision of at least {LEAST_PRECISION}",
            f"{precision}",
            precision >= LEAST_PRECISION,
        ),
        Limit(f"recall of at least {LEAST_RECALL}", f"{recall}", recall >= LEAST_RECALL),
        Limit(
            f"expected precision within {MOST_APART} of the precision",
            f"{expected} against {precision}",
            abs(expected - precision) <= MOST_APART,
        ),
    ]
    if recovered:
        return wanted
    return [limit._replace(measured="nothing was recovered", is_met=False) for limit in wanted]


def main() -> int:
    try:
        rows = read_audit(Settings.from_env().published_path)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    header = ("recovered", "wrong", "precision", "recall", "expected")
    print(f"{'field':<32}" + "".join(f"{name:>11}" for name in header))
    for field, recovered, wrong, *shares in rows:
        counts = f"{recovered:>11,}{wrong:>11,}"
        print(f"{field:<32}{counts}" + "".join(f"{share:>11.4f}" for share in shares))
    return hold_to(limits(rows))


if __name__ == "__main__":
    sys.exit(main())
